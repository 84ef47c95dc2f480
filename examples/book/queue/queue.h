// A queue of bounded size between one thread that pushes and one thread that pops.

#include <stdatomic.h>
#include <stdbool.h>

#ifndef QUEUE_SIZE
#define QUEUE_SIZE 64
#endif

struct queue {
    atomic_uint pushed, popped;
    int slots[QUEUE_SIZE];
};

// False if the queue is full.
bool queue_push(struct queue *queue, int value);
// False if the queue is empty.
bool queue_pop(struct queue *queue, int *value);
