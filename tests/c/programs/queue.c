// expect: all=safe [executions: all=20]
// expect: all=violation(assertion) [options: -- -DNO_EMPTY_CHECK]
// A queue under a mutex: three critical sections in each of two threads, C(6,3) orders.

#include <assert.h>
#include <pthread.h>

#define ITEMS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS];
static int head, tail;

static void enqueue(int item)
{
    assert(tail < ITEMS);
    items[tail++] = item;
}

static int dequeue(void)
{
    assert(head < tail);
    return items[head++];
}

static void *producer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        enqueue(i);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void *consumer(void *arg)
{
    int before = 0;

    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
#ifndef NO_EMPTY_CHECK
        if (head < tail)
#endif
            assert(dequeue() == ++before);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, producer, NULL);
    pthread_create(&t2, NULL, consumer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
