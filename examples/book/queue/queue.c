#include "queue.h"

bool queue_push(struct queue *queue, int value)
{
    unsigned pushed = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    unsigned popped = atomic_load_explicit(&queue->popped, memory_order_acquire);

#ifdef FIXED
    if (pushed - popped == QUEUE_SIZE)
        return false;
#else
    if (pushed - popped > QUEUE_SIZE)
        return false;
#endif
    queue->slots[pushed % QUEUE_SIZE] = value;
    atomic_store_explicit(&queue->pushed, pushed + 1, memory_order_release);
    return true;
}

bool queue_pop(struct queue *queue, int *value)
{
    unsigned popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
    unsigned pushed = atomic_load_explicit(&queue->pushed, memory_order_acquire);

    if (pushed == popped)
        return false;
    *value = queue->slots[popped % QUEUE_SIZE];
    atomic_store_explicit(&queue->popped, popped + 1, memory_order_release);
    return true;
}
