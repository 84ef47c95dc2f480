// expect: all=safe [executions: all=64] [options: -- -DN=5]
// expect: all=safe [executions: all=3328] [options: -- -DN=10]
// expect: sc=safe [executions: sc=147456] [options: -- -DN=15]
// Writer k adds one to what cell k-1 holds and puts it into cell k; a reader looks for the last cell that is zero.

#include <assert.h>
#include <pthread.h>

static int array[N + 1];

static void *reader(void *arg)
{
    int i = N;

    while (array[i] != 0)
        i--;
    assert(i >= 0);
    return arg;
}

static void *writer(void *arg)
{
    int k = (int)(long)arg;

    array[k] = array[k - 1] + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[0], NULL, reader, NULL);
    for (long k = 1; k <= N; k++)
        pthread_create(&threads[k], NULL, writer, (void *)k);
    for (int k = 0; k <= N; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
