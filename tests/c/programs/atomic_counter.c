// expect: all=safe [executions: all=24] [small]
// expect: all=safe [options: --check races]
// Four increments in every order.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4

static atomic_int counter;

static void *increment(void *arg)
{
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
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
