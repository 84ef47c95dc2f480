// expect: all=safe [small]
// Increments by compare-and-swap retry.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_int counter;

static void *increment(void *arg)
{
    int seen = atomic_load(&counter);

    while (!atomic_compare_exchange_weak(&counter, &seen, seen + 1))
        ;
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
