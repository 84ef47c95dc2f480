// expect: all=safe [executions: all=1]
// expect: all=safe [options: --check races]
// A tree of threads that return sums.

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *sum(void *arg)
{
    intptr_t n = (intptr_t)arg;
    pthread_t left, right;
    void *a, *b;

    if (n == 0)
        return (void *)1;
    pthread_create(&left, NULL, sum, (void *)(n - 1));
    pthread_create(&right, NULL, sum, (void *)(n - 1));
    pthread_join(left, &a);
    pthread_join(right, &b);
    return (void *)((intptr_t)a + (intptr_t)b);
}

int main(void)
{
    assert((intptr_t)sum((void *)3) == 8);
    return 0;
}
