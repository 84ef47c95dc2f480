// expect: all=violation(assertion)
// expect: all=safe [options: -- -DHOLDS]
// main leaves by pthread_exit; the threads, detached, go on.

#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *arg)
{
    int n = (int)(long)arg;

    __sync_fetch_and_add(&x, n);
#ifdef HOLDS
    assert(x <= 3);
#else
    assert(x <= 2);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)1);
    pthread_create(&t2, NULL, work, (void *)2);
    pthread_detach(t1);
    pthread_detach(t2);
    pthread_exit(NULL);
}
