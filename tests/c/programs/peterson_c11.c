// expect: all=safe
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DSTORE=memory_order_release]
// expect: all=safe [options: -- -DEXCHANGE -DSTORE=memory_order_release]
// expect: all=safe [options: --check races]
// Peterson with C11 atomics. Release and acquire are not enough; an exchange of the turn is.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE
#define STORE memory_order_seq_cst
#endif

static atomic_int wants[2], turn;
static int owner;

static void lock(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&wants[me], 1, STORE);
#ifdef EXCHANGE
    atomic_exchange_explicit(&turn, other, memory_order_acq_rel);
#else
    atomic_store_explicit(&turn, other, STORE);
#endif
    while (atomic_load_explicit(&wants[other], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        ;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;

    lock(me);
    owner = me;
    assert(owner == me);
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)0);
    pthread_create(&t2, NULL, work, (void *)1);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
