// expect: all=safe [executions: all=2]
// expect: all=violation(assertion) [options: -- -DUNGUARDED]
// C++ in the style of C: classes, constructors and destructors, references, overloads, templates; no exceptions.

#include <assert.h>
#include <pthread.h>

namespace {

class Mutex {
public:
    Mutex() { pthread_mutex_init(&mutex, nullptr); }
    ~Mutex() { pthread_mutex_destroy(&mutex); }
    void lock() { pthread_mutex_lock(&mutex); }
    void unlock() { pthread_mutex_unlock(&mutex); }

private:
    pthread_mutex_t mutex;
};

template <typename Lock> class Guard {
public:
    explicit Guard(Lock &lock) : lock(lock) { lock.lock(); }
    ~Guard() { lock.unlock(); }

private:
    Lock &lock;
};

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
};

struct Square : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};

Mutex mutex;
int total;

void add(int &to, int n) { to += n; }
void add(int &to, const Shape &shape) { to += shape.area(); }

void *work(void *)
{
    Square square(3);
#ifndef UNGUARDED
    Guard<Mutex> guard(mutex);
#endif
    add(total, 1);
    add(total, square);
    return nullptr;
}

} // namespace

int main()
{
    pthread_t t1, t2;

    pthread_create(&t1, nullptr, work, nullptr);
    pthread_create(&t2, nullptr, work, nullptr);
    pthread_join(t1, nullptr);
    pthread_join(t2, nullptr);
    assert(total == 20);
    return 0;
}
