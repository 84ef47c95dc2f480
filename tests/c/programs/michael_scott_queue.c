// expect: all=safe
// The lock-free queue of Michael and Scott, without reclamation: one thread adds two values, another takes them in
// order.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void enqueue(int value)
{
    struct node *node = malloc(sizeof *node);

    node->value = value;
    atomic_init(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static bool dequeue(int *value)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return false;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        int found = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next)) {
            *value = found;
            return true;
        }
    }
}

static void *producer(void *arg)
{
    enqueue(1);
    enqueue(2);
    return arg;
}

static void *consumer(void *arg)
{
    int value, before = 0;

    for (int i = 0; i < 2; i++)
        if (dequeue(&value))
            assert(value == ++before);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    int value;

    pthread_create(&t1, NULL, producer, NULL);
    pthread_create(&t2, NULL, consumer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    while (dequeue(&value))
        assert(value == 1 || value == 2);
    return 0;
}
