// expect: all=safe [executions: all=6] [small]
// Threads that nobody waits for still run to their ends.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg)
{
    assert(atomic_fetch_add(&x, 1) < 3);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&t, NULL, work, NULL);
    return 0;
}
