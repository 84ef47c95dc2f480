// expect: all=violation(division-by-zero)
// The divisor is zero only in between.

#include <pthread.h>

static volatile int divisor = 1, result;

static void *divide(void *arg)
{
    result = 10 / divisor;
    return arg;
}

static void *change(void *arg)
{
    divisor = 0;
    divisor = 2;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, divide, NULL);
    pthread_create(&t2, NULL, change, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
