// expect: sc=safe tso=safe pso=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// A spinlock whose unlock is a relaxed store. It protects a counter.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define UNLOCK memory_order_release
#else
#define UNLOCK memory_order_relaxed
#endif

static atomic_int locked;
static int counter;

static void lock(void)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_store_explicit(&locked, 0, UNLOCK);
}

static void *increment(void *unused)
{
    (void)unused;
    lock();
    counter++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, increment, NULL);
    pthread_create(&two, NULL, increment, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
