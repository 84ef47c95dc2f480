// expect: all=safe [executions: all=2] [small]
// expect: all=safe [options: --check races]
// memory_double_free.c, done right.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users;
};

static void *drop(void *arg)
{
    struct object *object = arg;

    if (atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t t1, t2;

    atomic_init(&object->users, 2);
    pthread_create(&t1, NULL, drop, object);
    pthread_create(&t2, NULL, drop, object);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
