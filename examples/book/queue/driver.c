// Pushes the numbers from 1 on in one thread and pops them in another: nothing may be lost, changed or reordered.

#include "queue.h"
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static struct queue queue;
static int pushes; // how many were accepted
static int pops;

static void *producer(void *unused)
{
    (void)unused;
    for (int attempt = 0; attempt < 3; attempt++)
        if (queue_push(&queue, pushes + 1))
            pushes++;
    return NULL;
}

static void pop_and_check(void)
{
    int value;

    if (queue_pop(&queue, &value))
        assert(value == ++pops);
}

static void *consumer(void *attempts)
{
    for (int attempt = 0; attempt < *(int *)attempts; attempt++)
        pop_and_check();
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int attempts = __VERIFIER_nondet_int();

    pthread_create(&one, NULL, producer, NULL);
    pthread_create(&two, NULL, consumer, &attempts);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    // Whatever is left must be there, in order.
    while (pops < pushes) {
        int before = pops;
        pop_and_check();
        assert(pops > before);
    }
    return 0;
}
