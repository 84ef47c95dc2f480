// expect: all=safe [executions: all=4]
// Two independent pairs of critical sections: the orders multiply.

#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    pthread_create(&threads[0], NULL, take, &a);
    pthread_create(&threads[1], NULL, take, &a);
    pthread_create(&threads[2], NULL, take, &b);
    pthread_create(&threads[3], NULL, take, &b);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
