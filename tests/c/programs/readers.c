// expect: all=safe [executions: all=256] [options: -- -DN=8]
// expect: all=safe [executions: all=8] [options: -- -DN=3] [small]
// One writer, N readers of the same cell: each sees one of two values.

#include <pthread.h>

static volatile int x;

static void *writer(void *arg)
{
    x = 1;
    return arg;
}

static void *reader(void *arg)
{
    int seen = x;

    (void)seen;
    return arg;
}

int main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[N], NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
