// expect: all=safe [executions: all=24]
// expect: all=safe [options: -- -DTHREADS=3] [executions: all=6] [small]
// expect: all=safe [options: --check races]
// Critical sections of four threads in 4! orders.

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 4
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
