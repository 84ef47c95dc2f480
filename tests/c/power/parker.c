// Park and unpark as in ../table1/parker.c, without a condition variable: a thread without a permit says that it
// waits and looks for a wake-up. Park's fast path takes the permit with a plain store; a permit that is given while
// that store is under way is overwritten, the condition has been looked at before, and the next park waits for ever.

#include "../table1/fences.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int permit;
static volatile int ready;
static volatile int waiting;
static volatile int wake;

static void park(void)
{
    if (permit) {
        permit = 0;
        TSO_FENCE();
        return;
    }
    pthread_mutex_lock(&mutex);
    if (!permit) {
        waiting = 1;
        pthread_mutex_unlock(&mutex);
        while (!wake)
            ;
        pthread_mutex_lock(&mutex);
        wake = 0;
        waiting = 0;
    }
    permit = 0;
    pthread_mutex_unlock(&mutex);
    LOAD_FENCE();
}

static void unpark(void)
{
    pthread_mutex_lock(&mutex);
    permit = 1;
    if (waiting)
        wake = 1;
    pthread_mutex_unlock(&mutex);
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
