// expect: all=safe [executions: all=2] [small]
// expect: all=safe [options: -- -DSIGNAL_OUTSIDE] [executions: all=2] [small]
// expect: all=violation(deadlock) [options: -- -DNO_CHECK]
// expect: all=safe [options: --check races]
// One waits for the other: it comes first and sleeps, or second and does not. Without the check the signal may be lost.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
#ifdef NO_CHECK
    pthread_cond_wait(&condition, &mutex);
#else
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
#endif
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *signaller(void *arg)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
#ifdef SIGNAL_OUTSIDE
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&condition);
#else
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, waiter, NULL);
    pthread_create(&t2, NULL, signaller, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
