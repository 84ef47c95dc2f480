// expect: all=safe
// A lock-free stack: what is pushed is popped, once.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);

    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);

    while (node && !atomic_compare_exchange_weak_explicit(&top, &node, node->next, memory_order_acquire,
                                                          memory_order_acquire))
        ;
    return node ? node->value : 0;
}

static int popped[2];

static void *work(void *arg)
{
    int me = (int)(long)arg;

    push(me + 1);
    popped[me] = pop();
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)0);
    pthread_create(&t2, NULL, work, (void *)1);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(popped[0] + popped[1] == 3 && popped[0] * popped[1] == 2);
    assert(atomic_load(&top) == NULL);
    return 0;
}
