// pgsql.c with a sleep that gives up after so many looks at the latch. The loop counts, so it is no spin loop, and
// each of its looks may come before or after the latch is set.

#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define WORKERS 2
#define LOOKS 4
#define ROUNDS 2

static volatile int latch[WORKERS] = {1, 0};
static volatile int flag[WORKERS] = {1, 0};

static int sleep_on(volatile int *cell)
{
    for (int looks = 0; looks < LOOKS; looks++)
        if (*cell)
            return 1;
    return 0;
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    int next = (me + 1) % WORKERS;

    for (int round = 0; round < ROUNDS; round++) {
        if (!sleep_on(&latch[me]))
            break;
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
