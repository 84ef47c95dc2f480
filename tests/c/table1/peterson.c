// Peterson's mutual exclusion for two threads.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

static int wants[2];
static int turn;
static int owner;

static void acquire(int me)
{
    int other = 1 - me;

    wants[me] = 1;
    // Under PSO the turn could be given away before the wish is seen.
    PSO_FENCE();
    turn = other;
    TSO_FENCE();
    while (wants[other] && turn == other)
        ;
}

static void release(int me)
{
    PSO_FENCE();
    wants[me] = 0;
}

static void *work(void *arg)
{
    int me = *(int *)arg;

    acquire(me);
    owner = me + 1;
    assert(owner == me + 1);
    release(me);
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t first, second;

    pthread_create(&first, NULL, work, &ids[0]);
    pthread_create(&second, NULL, work, &ids[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
