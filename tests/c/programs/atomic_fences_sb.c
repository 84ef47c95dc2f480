// expect: all=safe [executions: all=3] [small]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DORDER=memory_order_acq_rel]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DORDER=memory_order_release]
// Store buffering with fences: only the sequentially consistent one holds a load back.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

static atomic_int x, y;
static int a, b;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(ORDER);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_thread_fence(ORDER);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(a || b);
    return 0;
}
