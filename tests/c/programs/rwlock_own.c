// expect: all=safe
// A readers-writer lock of one word: -1 for a writer, else the number of readers.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int left, right;

static void read_lock(void)
{
    for (;;) {
        int seen = atomic_load(&state);
        if (seen >= 0 && atomic_compare_exchange_strong(&state, &seen, seen + 1))
            return;
    }
}

static void read_unlock(void)
{
    atomic_fetch_sub(&state, 1);
}

static void write_lock(void)
{
    int expected;

    do
        expected = 0;
    while (!atomic_compare_exchange_weak(&state, &expected, -1));
}

static void write_unlock(void)
{
    atomic_store_explicit(&state, 0, memory_order_release);
}

static void *writer(void *arg)
{
    write_lock();
    left++;
    right++;
    write_unlock();
    return arg;
}

static void *reader(void *arg)
{
    read_lock();
    assert(left == right);
    read_unlock();
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
