// expect: all=safe [executions: all=1]
// expect: all=safe [options: --check races]
// Each thread has its own copy: no conflicts, one trace.

#include <assert.h>
#include <pthread.h>

static _Thread_local int own = 5;
static __thread int *where;

static void *work(void *arg)
{
    int n = (int)(long)arg;

    assert(own == 5 && where == NULL);
    where = &own;
    for (int i = 0; i < n; i++)
        ++*where;
    assert(own == 5 + n);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)1);
    pthread_create(&t2, NULL, work, (void *)2);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(own == 5);
    return 0;
}
