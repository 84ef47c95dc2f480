// expect: all=violation(assertion)
// expect: all=safe [options: -- -DLIMIT=4] [executions: all=6] [small]
// Three critical sections; the limit is met if both additions come before the check.

#include <assert.h>
#include <pthread.h>

#ifndef LIMIT
#define LIMIT 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *add_one(void *arg)
{
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *add_two(void *arg)
{
    pthread_mutex_lock(&mutex);
    data += 2;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *check(void *arg)
{
    pthread_mutex_lock(&mutex);
    assert(data < LIMIT);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, add_one, NULL);
    pthread_create(&threads[1], NULL, add_two, NULL);
    pthread_create(&threads[2], NULL, check, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
