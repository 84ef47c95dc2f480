// expect: all=bounded
// A timed wait may time out, and may be woken; either way the lock is held after it.

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    struct timespec deadline;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    pthread_mutex_lock(&mutex);
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&condition, &mutex, &deadline);
    assert(ready || error == ETIMEDOUT);
    ready++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    ready++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(ready == 2);
    return 0;
}
