// expect: all=violation(assertion) [executions: all=1]
// expect: all=violation(assertion) [options: -- -O2]
// expect: all=safe [options: -- -O2 -DASSUME] [executions: all=1]
// Functions with a meaning by their names, whose bodies say otherwise: an optimiser must not look into them.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;

static void reach_error(void) { }

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

static void *work(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
#ifdef ASSUME
    assume_abort_if_not(atomic_load_explicit(&x, memory_order_relaxed) == 0);
#else
    pthread_join(thread, NULL);
    if (atomic_load_explicit(&x, memory_order_relaxed))
        reach_error();
#endif
    return 0;
}
