// expect: all=violation(lock-misuse) [options: -- -DUNLOCK_FREE]
// expect: all=violation(lock-misuse) [options: -- -DUNLOCK_OTHER]
// expect: all=violation(lock-misuse) [options: -- -DDESTROY_HELD]
// expect: all=violation(lock-misuse) [options: -- -DINIT_TWICE]
// expect: all=violation(lock-misuse) [options: -- -DUSE_DESTROYED]
// expect: all=violation(lock-misuse) [options: -- -DWAIT_UNLOCKED]
// expect: all=safe
// One wrong use of a mutex each.

#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
#if defined UNLOCK_OTHER
    pthread_mutex_unlock(&mutex);
#elif defined WAIT_UNLOCKED
    pthread_cond_wait(&condition, &mutex);
#else
    pthread_cond_signal(&condition);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_mutex_init(&mutex, NULL);
#if defined UNLOCK_FREE
    pthread_mutex_unlock(&mutex);
#elif defined DESTROY_HELD
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
#elif defined INIT_TWICE
    pthread_mutex_init(&mutex, NULL);
#elif defined USE_DESTROYED
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
