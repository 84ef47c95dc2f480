// expect: all=safe
// expect: all=violation(assertion) [options: -- -DALWAYS]
// expect: all=safe [options: --check races]
// trylock may fail, and must then be heeded.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside, failed;

static void *work(void *arg)
{
    if (pthread_mutex_trylock(&mutex) != 0) {
        __sync_fetch_and_add(&failed, 1);
        return arg;
    }
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
#ifdef ALWAYS
    assert(failed == 0);
#else
    assert(failed <= 1);
#endif
    return 0;
}
