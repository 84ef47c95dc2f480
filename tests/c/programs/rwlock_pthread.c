// expect: all=safe
// expect: all=violation(assertion) [options: -- -DREAD_LOCK_TO_WRITE]
// expect: all=violation(deadlock) [options: -- -DUPGRADE]
// expect: all=safe [options: --check races]
// Readers and a writer under pthread_rwlock.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *writer(void *arg)
{
#ifdef READ_LOCK_TO_WRITE
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
#ifdef UPGRADE
    pthread_rwlock_wrlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(left == 1 && right == 1);
    return 0;
}
