// expect: all=violation(assertion)
// expect: all=bounded [options: --unroll 2 -- -DWAIT]
// Two threads share a ring of characters under a lock; the receiver must not run ahead of the sender.

#include <assert.h>
#include <pthread.h>

#define SIZE 4
#define ITEMS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char buffer[SIZE];
static unsigned first, next;

static void *sender(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        buffer[next] = (char)('a' + i);
        next = (next + 1) % SIZE;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void *receiver(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
#ifdef WAIT
        while (first == next) {
            pthread_mutex_unlock(&mutex);
            pthread_mutex_lock(&mutex);
        }
#endif
        assert(buffer[first] == 'a' + i);
        first = (first + 1) % SIZE;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, sender, NULL);
    pthread_create(&t2, NULL, receiver, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
