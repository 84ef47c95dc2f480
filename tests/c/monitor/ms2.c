/* Michael and Scott's queue with two locks: one thread enqueues, another dequeues. */
#include "spin.h"

typedef struct node {
    struct node *next;
    int value;
} node;

static node dummy, nodes[2];
static node *head = &dummy, *tail = &dummy;
static spin head_lock, tail_lock;

static void enqueue(node *fresh, int value) {
    fresh->value = value;
    fresh->next = NULL;
    spin_lock(&tail_lock);
    tail->next = fresh;
    tail = fresh;
    spin_unlock(&tail_lock);
}

static int dequeue(int *value) {
    int found = 0;
    spin_lock(&head_lock);
    node *first = head->next;
    if (first != NULL) {
        *value = first->value;
        head = first;
        found = 1;
    }
    spin_unlock(&head_lock);
    return found;
}

static void *producer(void *unused) {
    enqueue(&nodes[0], 1);
    enqueue(&nodes[1], 2);
    return unused;
}

static void *consumer(void *unused) {
    int value = 0;
    dequeue(&value);
    dequeue(&value);
    return unused;
}

int main(void) {
    run(producer, consumer);
    return 0;
}
