// expect: all=safe
// expect: all=violation(deadlock) [options: -- -DONE_CONDITION]
// A bounded buffer with condition variables. With one condition for both directions and `signal`, a producer can wake
// a producer, and all of them sleep.

#include <assert.h>
#include <pthread.h>

#define SIZE 1
#define PRODUCERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#ifdef ONE_CONDITION
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#define not_full changed
#define not_empty changed
#else
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
#endif
static int buffer[SIZE], count;

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &mutex);
    buffer[count++] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int get(void)
{
    pthread_mutex_lock(&mutex);
    while (count == 0)
        pthread_cond_wait(&not_empty, &mutex);
    int item = buffer[--count];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *producer(void *arg)
{
    put(1);
    return arg;
}

static int sum;

static void *consumer(void *arg)
{
    int item = get();

    __sync_fetch_and_add(&sum, item);
    return arg;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[PRODUCERS];

    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&consumers[i], NULL, consumer, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, producer, NULL);
    for (int i = 0; i < PRODUCERS; i++) {
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], NULL);
    }
    assert(sum == PRODUCERS);
    return 0;
}
