// expect: all=safe [executions: all=720] [options: -- -DN=6]
// expect: all=safe [executions: all=24] [options: -- -DN=4] [small]
// N writers of the same cell: N! orders, and none of the threads is waited for.

#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = (int)(long)arg;
    return NULL;
}

int main(void)
{
    for (long i = 1; i <= N; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, writer, (void *)i);
    }
    return 0;
}
