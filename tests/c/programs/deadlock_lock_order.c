// expect: all=violation(deadlock)
// expect: all=safe [options: -- -DSAME_ORDER] [executions: all=2]
// Two locks in opposite orders.

#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *left(void *arg)
{
    both(&a, &b);
    return arg;
}

static void *right(void *arg)
{
#ifdef SAME_ORDER
    both(&a, &b);
#else
    both(&b, &a);
#endif
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
