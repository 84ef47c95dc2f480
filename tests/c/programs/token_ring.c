// expect: all=violation(assertion)
// expect: all=violation(race) [options: --check races]
// Four threads copy a cell around: the copies need not agree.

#include <assert.h>
#include <pthread.h>

static int x[4] = {0, 0, 0, 0};

static void *hop(void *arg)
{
    int me = (int)(long)arg;

    x[me] = (x[(me + 3) % 4] + (me == 0)) % 4;
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, hop, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(x[0] == x[1] && x[1] == x[2] && x[2] == x[3]);
    return 0;
}
