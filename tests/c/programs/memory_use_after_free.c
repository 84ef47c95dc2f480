// expect: all=violation(memory)
// expect: all=safe [options: -- -DJOIN_FIRST]
// One thread frees what another still uses.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
    int *cell = arg;

    *cell += 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *cell = malloc(sizeof *cell);

    *cell = 1;
    pthread_create(&thread, NULL, work, cell);
#ifdef JOIN_FIRST
    pthread_join(thread, NULL);
    assert(*cell == 2);
#endif
    free(cell);
    return 0;
}
