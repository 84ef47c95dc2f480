// Szymanski's mutual exclusion, for two threads: a waiting room with a door. A thread's state says how far it is.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

enum state { OUTSIDE, ARRIVED, WAITING, IN_DOORWAY, INSIDE };

static volatile int state[2];
static volatile int owner;

static void enter(int me, enum state to)
{
    state[me] = to;
    TSO_FENCE();
}

static void acquire(int me)
{
    int other = 1 - me;

    enter(me, ARRIVED);
    while (state[other] >= IN_DOORWAY)
        ;
    enter(me, IN_DOORWAY);
    if (state[other] == ARRIVED) {
        enter(me, WAITING);
        while (state[other] != INSIDE)
            ;
    }
    enter(me, INSIDE);
    if (me == 1)
        while (state[0] >= WAITING)
            ;
}

static void release(int me)
{
    if (me == 0) {
        int seen;
        do
            seen = state[1];
        while (seen == WAITING || seen == IN_DOORWAY);
    }
    PSO_FENCE();
    state[me] = OUTSIDE;
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
