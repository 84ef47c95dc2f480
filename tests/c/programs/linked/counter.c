// The other half of linked.c.

#include "counter.h"
#include <pthread.h>

int counter;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int calls;

// Stronger than the one in the other file.
int step(void)
{
    return 1;
}

void increment(void)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&mutex);
#else
    (void)mutex;
#endif
    counter += step();
    calls++;
#ifndef UNLOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

int calls_made(void)
{
    return calls;
}
