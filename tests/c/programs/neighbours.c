// expect: all=safe [executions: all=1]
// expect: all=safe [options: -- -DTHREADS=2] [executions: all=1] [small]
// expect: all=safe [options: --check races]
// Bytes beside each other are different cells: no conflicts.

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 4
#endif

static char cells[THREADS];

static void *work(void *arg)
{
    int me = (int)(long)arg;

    cells[me] = 'x';
    cells[me]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert(cells[i] == 'y');
    return 0;
}
