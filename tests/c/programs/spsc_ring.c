// expect: all=safe
// expect: sc=safe tso=safe pso=violation(assertion) [options: -- -DRELEASE=memory_order_relaxed]
// expect: all=safe [options: --check races]
// A ring buffer for one producer and one consumer, without locks.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef RELEASE
#define RELEASE memory_order_release
#endif
#define SIZE 2
#define ITEMS 3

static int ring[SIZE];
static atomic_uint head, tail;

static void put(int item)
{
    unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);

    while (at - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
        ;
    ring[at % SIZE] = item;
    atomic_store_explicit(&tail, at + 1, RELEASE);
}

static int get(void)
{
    unsigned at = atomic_load_explicit(&head, memory_order_relaxed);

    while (at == atomic_load_explicit(&tail, memory_order_acquire))
        ;
    int item = ring[at % SIZE];
    atomic_store_explicit(&head, at + 1, RELEASE);
    return item;
}

static void *producer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++)
        assert(get() == i);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, producer, NULL);
    pthread_create(&t2, NULL, consumer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
