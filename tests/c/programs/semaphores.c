// expect: all=safe [executions: all=6] [small]
// expect: all=violation(assertion) [options: -- -DPERMITS=2]
// expect: all=violation(deadlock) [options: -- -DPERMITS=0]
// A semaphore as a lock. Three threads pass in one of 3! orders.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef PERMITS
#define PERMITS 1
#endif
#define THREADS 3

static sem_t semaphore;
static int inside;

static void *work(void *arg)
{
    sem_wait(&semaphore);
    inside++;
    assert(inside == 1);
    inside--;
    sem_post(&semaphore);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    sem_init(&semaphore, 0, PERMITS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&semaphore);
    return 0;
}
