// expect: sc=safe tso=violation(assertion) pso=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// Peterson's algorithm, with relaxed atomic accesses: two threads exclude each other, and count.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() ((void)0)
#endif

static atomic_int wants[2]; // who wants to enter
static atomic_int last;     // who came last, and waits
static int counter;

static void lock(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    fence();
    atomic_store_explicit(&last, me, memory_order_relaxed);
    fence();
    while (atomic_load_explicit(&wants[1 - me], memory_order_relaxed) &&
           atomic_load_explicit(&last, memory_order_relaxed) == me)
        ;
    fence();
}

static void unlock(int me)
{
    fence();
    atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
}

static void *count(void *arg)
{
    int me = *(int *)arg;

    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void)
{
    int names[] = { 0, 1 };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, &names[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
