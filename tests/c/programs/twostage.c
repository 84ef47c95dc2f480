// expect: all=violation(assertion)
// expect: all=safe [options: -- -DONE_STAGE]
// Two values that belong together, under two locks.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int data, successor;

static void *writer(void *arg)
{
    pthread_mutex_lock(&first);
    data = 1;
#ifndef ONE_STAGE
    pthread_mutex_unlock(&first);
#endif
    pthread_mutex_lock(&second);
    successor = data + 1;
    pthread_mutex_unlock(&second);
#ifdef ONE_STAGE
    pthread_mutex_unlock(&first);
#endif
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&first);
    int seen = data;
    pthread_mutex_unlock(&first);
    if (seen == 0)
        return arg;
    pthread_mutex_lock(&second);
    assert(successor == seen + 1);
    pthread_mutex_unlock(&second);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
