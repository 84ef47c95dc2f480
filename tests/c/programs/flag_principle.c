// expect: all=safe
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DWEAK]
// Whoever raises a flag and then sees the other's down may go in; if both are up, both go away.

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>

static atomic_bool flags[2];
static atomic_int inside;

static int work(void *arg)
{
    int me = *(int *)arg;

#ifdef WEAK
    atomic_store_explicit(&flags[me], true, memory_order_release);
#else
    atomic_store(&flags[me], true);
#endif
    if (!atomic_load(&flags[1 - me])) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        return thrd_success;
    }
    return thrd_busy;
}

int main(void)
{
    thrd_t threads[2];
    int ids[2] = {0, 1};

    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], work, &ids[i]);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    return 0;
}
