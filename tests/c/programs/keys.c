// expect: all=safe
// Thread-specific data, with a destructor that runs when a thread ends.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    assert(*(int *)value > 0);
    free(value);
    __sync_fetch_and_add(&destroyed, 1);
}

static int mine(void)
{
    return *(int *)pthread_getspecific(key);
}

static void *work(void *arg)
{
    int *value = malloc(sizeof *value);

    assert(pthread_getspecific(key) == NULL);
    *value = (int)(long)arg;
    pthread_setspecific(key, value);
    assert(mine() == (int)(long)arg);
    if (mine() == 2)
        pthread_exit(NULL);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_key_create(&key, destroy);
    pthread_create(&t1, NULL, work, (void *)1);
    pthread_create(&t2, NULL, work, (void *)2);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(destroyed == 2);
    pthread_key_delete(key);
    return 0;
}
