// expect: all=safe
// expect: all=violation(deadlock) [options: -- -DNO_RECHECK]
// A futex-like sleep: the sleeper announces itself and looks again before it sleeps.

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int work, sleepers;
static sem_t sleep_on;

static void *consumer(void *arg)
{
    while (atomic_load(&work) == 0) {
        atomic_fetch_add(&sleepers, 1);
#ifndef NO_RECHECK
        if (atomic_load(&work) != 0) {
            atomic_fetch_sub(&sleepers, 1);
            break;
        }
#endif
        sem_wait(&sleep_on);
        atomic_fetch_sub(&sleepers, 1);
    }
    return arg;
}

static void *producer(void *arg)
{
    atomic_store(&work, 1);
    if (atomic_load(&sleepers) > 0)
        sem_post(&sleep_on);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    sem_init(&sleep_on, 0, 0);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_create(&t2, NULL, producer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
