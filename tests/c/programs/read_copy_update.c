// expect: all=safe
// expect: all=violation(memory) [options: -- -DNO_GRACE]
// A reader announces itself; the updater swaps the pointer and frees the old object only after the reader has left.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) current;
static atomic_int reading;

static void *reader(void *arg)
{
    atomic_store(&reading, 1);
    int *seen = atomic_load(&current);
    assert(*seen == 1 || *seen == 2);
    atomic_store(&reading, 0);
    return arg;
}

static void *updater(void *arg)
{
    int *fresh = malloc(sizeof *fresh);

    *fresh = 2;
    int *old = atomic_exchange(&current, fresh);
#ifndef NO_GRACE
    while (atomic_load(&reading))
        ;
#endif
    free(old);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    int *first = malloc(sizeof *first);

    *first = 1;
    atomic_init(&current, first);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, updater, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    free(atomic_load(&current));
    return 0;
}
