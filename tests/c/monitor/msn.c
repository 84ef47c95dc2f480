/* Michael and Scott's non-blocking queue: one thread enqueues, another dequeues. */
#include "spin.h"

typedef struct node {
    struct node *next;
    int value;
} node;

static node dummy, nodes[2];
static node *head = &dummy, *tail = &dummy;

static void enqueue(node *fresh, int value) {
    fresh->value = value;
    fresh->next = NULL;
    for (;;) {
        node *last = tail;
        node *next = last->next;
        if (last != tail) {
            continue;
        }
        if (next != NULL) {
            CAS(&tail, last, next);
        } else if (CAS(&last->next, NULL, fresh)) {
            CAS(&tail, last, fresh);
            return;
        }
    }
}

static int dequeue(int *value) {
    for (;;) {
        node *first = head;
        node *last = tail;
        node *next = first->next;
        if (first != head) {
            continue;
        }
        if (first == last) {
            if (next == NULL) {
                return 0;
            }
            CAS(&tail, last, next);
        } else {
            *value = next->value;
            if (CAS(&head, first, next)) {
                return 1;
            }
        }
    }
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
