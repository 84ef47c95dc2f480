// expect: sc=safe tso=safe pso=violation(assertion) [executions: sc=3 tso=3]
// expect: all=safe [options: -- -DFENCE] [executions: all=3] [small]
// expect: all=safe [options: -- -DNO_ASSERT] [executions: sc=3 tso=3 pso=4] [small]
// Two threads write two cells in opposite orders.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCE
#define fence() atomic_thread_fence(memory_order_release)
#else
#define fence() ((void)0)
#endif

static atomic_int x, y;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence();
    atomic_store_explicit(&y, 2, memory_order_relaxed);
    return arg;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence();
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
#ifndef NO_ASSERT
    assert(!(x == 1 && y == 1));
#endif
    return 0;
}
