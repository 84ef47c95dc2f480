// expect: sc=safe tso=violation(assertion) pso=violation(assertion)
// expect: all=safe [options: -- -DNO_ASSERT] [executions: sc=3 tso=4 pso=4] [small]
// expect: all=safe [options: -- -DSTORE=memory_order_seq_cst] [executions: all=3] [small]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DSTORE=memory_order_release]
// Store buffering.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE
#define STORE memory_order_relaxed
#endif

static atomic_int x, y;
static int a, b;

static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, STORE);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return arg;
}

static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, STORE);
    b = atomic_load_explicit(&x, memory_order_acquire);
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
    assert(a == 1 || b == 1);
#endif
    return 0;
}
