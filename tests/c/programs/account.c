// expect: all=violation(assertion)
// expect: all=safe [options: -- -DLOCKED_CHECK]
// A deposit and a withdrawal; the audit looks at two counters and the balance without the lock.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, deposited, withdrawn;

static void *deposit(void *arg)
{
    pthread_mutex_lock(&mutex);
    balance += 20;
    deposited = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *withdraw(void *arg)
{
    pthread_mutex_lock(&mutex);
    balance -= 30;
    withdrawn = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *audit(void *arg)
{
#ifdef LOCKED_CHECK
    pthread_mutex_lock(&mutex);
#endif
    assert(balance == 100 + 20 * deposited - 30 * withdrawn);
#ifdef LOCKED_CHECK
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, deposit, NULL);
    pthread_create(&threads[1], NULL, withdraw, NULL);
    pthread_create(&threads[2], NULL, audit, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
