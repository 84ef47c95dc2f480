// Lamport's fast mutual exclusion (A Fast Mutual Exclusion Algorithm, 1987, algorithm 2), for two threads
// numbered 1 and 2.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define THREADS 2

static volatile int busy[THREADS + 1];
static volatile int x, y;
static volatile int owner;

static void acquire(int me)
{
start:
    busy[me] = 1;
    PSO_FENCE();
    x = me;
    TSO_FENCE();
    if (y != 0) {
        busy[me] = 0;
        while (y != 0)
            ;
        goto start;
    }
    y = me;
    TSO_FENCE();
    if (x != me) {
        busy[me] = 0;
        TSO_FENCE();
        for (int i = 1; i <= THREADS; i++)
            while (busy[i])
                ;
        LOAD_FENCE();
        if (y != me) {
            while (y != 0)
                ;
            goto start;
        }
    }
}

static void release(int me)
{
    PSO_FENCE();
    y = 0;
    PSO_FENCE();
    busy[me] = 0;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;

    acquire(me);
    owner = me;
    assert(owner == me);
    release(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
