// expect: all=violation(lock-misuse)
// A mutex is destroyed by the thread that created it while another may still want it.

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_destroy(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
