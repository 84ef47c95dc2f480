// expect: sc=safe tso=safe pso=violation(uninitialised) power=violation(uninitialised) arm=violation(uninitialised)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// Double-checked locking: the settings are made when they are first needed, and only the first threads lock.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define LOAD memory_order_acquire
#define STORE memory_order_release
#else
#define LOAD memory_order_relaxed
#define STORE memory_order_relaxed
#endif

struct settings {
    int port;
};

static _Atomic(struct settings *) current;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void)
{
    struct settings *found = atomic_load_explicit(&current, LOAD);

    if (found)
        return found;
    pthread_mutex_lock(&making);
    found = atomic_load_explicit(&current, memory_order_relaxed);
    if (!found) {
        found = malloc(sizeof *found);
        found->port = 80;
        atomic_store_explicit(&current, found, STORE);
    }
    pthread_mutex_unlock(&making);
    return found;
}

static void *connect_to(void *unused)
{
    (void)unused;
    assert(settings()->port == 80);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, connect_to, NULL);
    pthread_create(&two, NULL, connect_to, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(current);
    return 0;
}
