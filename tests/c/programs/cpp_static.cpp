// expect: all=safe
// A static of a function is initialised once, whoever comes first; objects on the heap, virtual functions.

#include <cassert>
#include <pthread.h>

static int made;

struct Base {
    int value;
    explicit Base(int value) : value(value) { made++; }
    virtual ~Base() {}
    virtual int get() { return value; }
};

struct Double : Base {
    explicit Double(int value) : Base(value) {}
    int get() override { return value * 2; }
};

static Base &instance()
{
    static Double one(21);
    return one;
}

static void *work(void *)
{
    assert(instance().get() == 42);
    return nullptr;
}

int main()
{
    pthread_t thread;

    pthread_create(&thread, nullptr, work, nullptr);
    assert(instance().get() == 42);
    pthread_join(thread, nullptr);
    assert(made == 1);

    Base *other = new Double(4);
    assert(other->get() == 8);
    delete other;
    int *zeros = new int[3]();
    assert(zeros[2] == 0);
    delete[] zeros;
    return 0;
}
