// Dekker's mutual exclusion for two threads, in full: whoever's turn it is not steps back.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

static volatile int wants[2];
static volatile int turn;
static volatile int owner;

static void acquire(int me)
{
    int other = 1 - me;

    wants[me] = 1;
    TSO_FENCE();
    while (wants[other]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me)
                ;
            wants[me] = 1;
            TSO_FENCE();
        }
    }
}

static void release(int me)
{
    PSO_FENCE();
    turn = 1 - me;
    PSO_FENCE();
    wants[me] = 0;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;

    acquire(me);
    owner = me + 1;
    assert(owner == me + 1);
    release(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (long me = 0; me < 2; me++)
        pthread_create(&threads[me], NULL, work, (void *)me);
    for (int me = 0; me < 2; me++)
        pthread_join(threads[me], NULL);
    return 0;
}
