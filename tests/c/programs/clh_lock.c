// expect: all=safe
// The queue lock of Craig, Landin and Hagersten: each thread spins on its predecessor's node.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 3

struct node {
    atomic_bool busy;
};

static struct node first;
static _Atomic(struct node *) tail = &first;
static int counter;

static void *work(void *arg)
{
    struct node *mine = malloc(sizeof *mine);

    atomic_init(&mine->busy, 1);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->busy, memory_order_acquire))
        ;
    counter++;
    atomic_store_explicit(&mine->busy, 0, memory_order_release);
    // Nobody else knows the predecessor's node now.
    if (before != &first)
        free(before);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
