// The wake-up protocol of a database's worker processes, after a fault that PostgreSQL had: a worker sleeps on its
// latch, and whoever hands it work sets its flag first and its latch second. If the latch can be seen set before the
// flag, the worker wakes without work and the token is lost.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define WORKERS 2

static volatile int latch[WORKERS] = {1, 0};
static volatile int flag[WORKERS] = {1, 0};

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    int next = (me + 1) % WORKERS;

    for (;;) {
        while (!latch[me])
            ;
        LOAD_FENCE();
        assert(flag[me]);
        latch[me] = 0;
        flag[me] = 0;
        flag[next] = 1;
        PSO_FENCE();
        latch[next] = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];

    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
