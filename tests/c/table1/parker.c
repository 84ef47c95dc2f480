// Park and unpark, after the fault that a Java virtual machine had for years: park's fast path takes the permit
// with a plain store, which may stay in the store buffer while the caller looks at its condition again. A permit
// that is given meanwhile is then overwritten, and the next park sleeps for ever: a deadlock.

#include "fences.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int permit;
static volatile int ready;

static void park(void)
{
    if (permit) {
        permit = 0;
        TSO_FENCE();
        return;
    }
    // Somebody is about to give a permit: the caller looks again.
    if (pthread_mutex_trylock(&mutex) != 0) {
        LOAD_FENCE();
        return;
    }
    if (!permit)
        pthread_cond_wait(&condition, &mutex);
    permit = 0;
    pthread_mutex_unlock(&mutex);
    LOAD_FENCE();
}

static void unpark(void)
{
    pthread_mutex_lock(&mutex);
    int before = permit;
    permit = 1;
    pthread_mutex_unlock(&mutex);
    if (!before)
        pthread_cond_signal(&condition);
}

static void *sleeper(void *arg)
{
    while (!ready)
        park();
    return arg;
}

static void *waker(void *arg)
{
    // A permit that has nothing to do with the condition, as another user of the thread might give.
    unpark();
    ready = 1;
    // To take a lock keeps nothing behind that came before it.
    PSO_FENCE();
    unpark();
    return arg;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, sleeper, NULL);
    pthread_create(&second, NULL, waker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
