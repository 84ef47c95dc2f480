// expect: all=violation(deadlock)
// expect: all=safe [options: -- -DONE_LEFT_HANDED]
// Three philosophers; one who reaches for the other fork first saves them all.

#include <pthread.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
    int seat = (int)(long)arg;
    int first = seat, second = (seat + 1) % SEATS;

#ifdef ONE_LEFT_HANDED
    if (seat == 0) {
        first = 1;
        second = 0;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];

    for (long i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
