// expect: all=safe [executions: all=6] [small]
// A structure of eight bytes is read and written as one. Two stores and a load of it: every order is a trace.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int first, second;
};

static _Atomic struct pair shared;

static void *writer(void *arg)
{
    int n = (int)(long)arg;

    atomic_store(&shared, ((struct pair){n, n}));
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, writer, (void *)1);
    pthread_create(&t2, NULL, writer, (void *)2);
    struct pair seen = atomic_load(&shared);
    assert(seen.first == seen.second);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
