// expect: sc=safe tso=safe pso=violation(assertion) [executions: sc=3 tso=3]
// expect: all=safe [options: -- -DRELEASE=memory_order_release] [executions: all=3] [small]
// expect: all=safe [options: -- -DRELEASE=memory_order_seq_cst] [executions: all=3] [small]
// expect: sc=safe tso=safe [options: --check races]
// Message passing.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef RELEASE
#define RELEASE memory_order_relaxed
#endif

static atomic_int data, flag;

static void *sender(void *arg)
{
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, RELEASE);
    return arg;
}

static void *receiver(void *arg)
{
    int seen = atomic_load_explicit(&flag, memory_order_acquire);
    int value = atomic_load_explicit(&data, memory_order_relaxed);

    assert(!seen || value == 42);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, sender, NULL);
    pthread_create(&t2, NULL, receiver, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
