// expect: all=violation(assertion)
// expect: all=safe [options: -- -DRIGHT] [executions: all=6]
// expect: all=violation(race) [options: --check races]
// One of the threads takes the wrong lock.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *right(void *arg)
{
    pthread_mutex_lock(&data_lock);
    int before = data;
    data++;
    assert(data == before + 1);
    pthread_mutex_unlock(&data_lock);
    return arg;
}

static void *wrong(void *arg)
{
#ifdef RIGHT
    pthread_mutex_t *lock = &data_lock;
#else
    pthread_mutex_t *lock = &other_lock;
#endif
    pthread_mutex_lock(lock);
    data++;
    pthread_mutex_unlock(lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];

    (void)other_lock;
    pthread_create(&threads[0], NULL, right, NULL);
    pthread_create(&threads[1], NULL, wrong, NULL);
    pthread_create(&threads[2], NULL, right, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(data == 3);
    return 0;
}
