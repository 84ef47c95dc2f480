// Double-checked locking: the first check is made without the lock. The pointer must not be seen before what it
// points to.

#include "fences.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define THREADS 2
#define VALUE 42

struct singleton {
    int value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct singleton storage;
static struct singleton *volatile instance;

static struct singleton *get(void)
{
    if (instance == NULL) {
        pthread_mutex_lock(&mutex);
        if (instance == NULL) {
            storage.value = VALUE;
            PSO_FENCE();
            instance = &storage;
        }
        pthread_mutex_unlock(&mutex);
    }
    return instance;
}

static void *use(void *arg)
{
    assert(get()->value == VALUE);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
