// expect: all=safe
// expect: all=violation(deadlock) [options: -- -DKIND=PTHREAD_MUTEX_NORMAL]
// A mutex that its owner may take again.

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

#ifndef KIND
#define KIND PTHREAD_MUTEX_RECURSIVE
#endif

static pthread_mutex_t mutex;
static int counter;

static void nested(int depth)
{
    pthread_mutex_lock(&mutex);
    counter++;
    if (depth > 0)
        nested(depth - 1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg)
{
    nested(1);
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_t t1, t2;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, KIND);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(counter == 4);
    pthread_mutex_destroy(&mutex);
    return 0;
}
