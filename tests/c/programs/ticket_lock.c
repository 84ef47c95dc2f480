// expect: all=safe
// expect: all=safe [options: -- -DTHREADS=2] [small]
// expect: all=safe [options: --check races]
// A ticket lock.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif

static atomic_uint next_ticket, now_serving;
static int inside;

static void lock(void)
{
    unsigned ticket = atomic_fetch_add(&next_ticket, 1);

    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
}

static void unlock(void)
{
    unsigned current = atomic_load_explicit(&now_serving, memory_order_relaxed);

    atomic_store_explicit(&now_serving, current + 1, memory_order_release);
}

static void *work(void *arg)
{
    lock();
    inside++;
    assert(inside == 1);
    inside--;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
