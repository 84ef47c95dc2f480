// expect: sc=safe tso=safe pso=violation(memory)
// expect: all=safe [options: -- -DFENCE]
// The object is handed over by a flag. Under PSO the flag may be seen while a store to the object is still on its
// way, and then it hits freed memory.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FENCE
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

static int *object;
static atomic_int done;

static void *user(void *arg)
{
    *object = 1;
    atomic_store_explicit(&done, 1, ORDER);
    return arg;
}

static void *owner(void *arg)
{
    if (atomic_load_explicit(&done, memory_order_acquire))
        free(object);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    object = malloc(sizeof *object);
    pthread_create(&t1, NULL, user, NULL);
    pthread_create(&t2, NULL, owner, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
