// expect: all=safe
// expect: sc=safe tso=safe pso=violation(uninitialised) [options: -- -DPLAIN]
// expect: all=safe [options: --check races]
// expect: sc=violation(race) tso=violation(race) [options: --check races -- -DPLAIN]
// Double-checked locking with an object from malloc.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef PLAIN
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif

static _Atomic(int *) instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int made;

static int *get(void)
{
    int *found = atomic_load_explicit(&instance, ACQUIRE);

    if (found == NULL) {
        pthread_mutex_lock(&mutex);
        found = atomic_load_explicit(&instance, memory_order_relaxed);
        if (found == NULL) {
            found = malloc(sizeof *found);
            *found = 42;
            made++;
            atomic_store_explicit(&instance, found, RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    return found;
}

static void *use(void *arg)
{
    assert(*get() == 42);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, use, NULL);
    pthread_create(&t2, NULL, use, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(made == 1);
    return 0;
}
