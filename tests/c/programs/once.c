// expect: all=safe
// expect: all=safe [options: --check races]
// pthread_once runs its function once, and nobody passes before it is done.

#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, value;

static void initialise(void)
{
    runs++;
    value = 42;
}

static void *work(void *arg)
{
    pthread_once(&once, initialise);
    assert(value == 42);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(runs == 1);
    return 0;
}
