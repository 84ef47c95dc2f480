// expect: all=safe [executions: all=1] [small]
// Bytes beside each other are different cells: no conflicts.

#include <assert.h>
#include <pthread.h>

static char cells[4];

static void *work(void *arg)
{
    int me = (int)(long)arg;

    cells[me] = 'x';
    cells[me]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        assert(cells[i] == 'y');
    return 0;
}
