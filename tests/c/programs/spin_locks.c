// expect: all=safe [options: -- -DTAS]
// expect: all=safe [options: -- -DTTAS]
// expect: all=safe [options: -- -DCAS]
// expect: all=safe [options: -- -DBACKOFF]
// expect: all=safe [options: --check races -- -DTAS]
// expect: all=safe [options: --check races -- -DTTAS]
// expect: all=safe [options: --check races -- -DCAS]
// Spin locks that write while they wait, or look first.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS 2
#define ROUNDS 2

static atomic_bool held;
static int inside;

static void lock(void)
{
#if defined TAS
    while (atomic_exchange_explicit(&held, true, memory_order_acquire))
        ;
#elif defined TTAS
    for (;;) {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
        if (!atomic_exchange_explicit(&held, true, memory_order_acquire))
            return;
    }
#elif defined CAS
    for (;;) {
        bool expected = false;
        if (atomic_compare_exchange_weak(&held, &expected, true))
            return;
    }
#elif defined BACKOFF
    while (atomic_exchange_explicit(&held, true, memory_order_acquire))
        for (int i = 0; i < 3; i++)
            __asm__ volatile("pause");
#endif
}

static void unlock(void)
{
    atomic_store_explicit(&held, false, memory_order_release);
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        inside++;
        assert(inside == 1);
        inside--;
        unlock();
    }
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
