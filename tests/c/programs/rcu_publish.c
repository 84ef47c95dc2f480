// expect: all=safe [executions: all=2] [small]
// expect: sc=safe tso=safe pso=violation(uninitialised) [options: -- -DORDER=memory_order_relaxed]
// Publication of an object through a pointer. Under PSO without the release the pointer may be seen first, and
// what it points to is then whatever malloc left there.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

struct config {
    int value;
};

static _Atomic(struct config *) current;

static void *updater(void *arg)
{
    struct config *fresh = malloc(sizeof *fresh);

    fresh->value = 5;
    atomic_store_explicit(&current, fresh, ORDER);
    return arg;
}

static void *reader(void *arg)
{
    struct config *seen = atomic_load_explicit(&current, memory_order_consume);

    if (seen != NULL)
        assert(seen->value == 5);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, updater, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
