// expect: all=violation(deadlock) power=violation(deadlock) arm=violation(deadlock)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// A lost wake-up: the consumer looks whether there is something before it takes the lock, and then waits.

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static atomic_int items;

static void *producer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&arrived, &lock);
    items--;
    pthread_mutex_unlock(&lock);
#else
    while (items == 0) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&arrived, &lock);
        pthread_mutex_unlock(&lock);
    }
    items--;
#endif
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, producer, NULL);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
