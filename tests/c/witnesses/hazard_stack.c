// expect: sc=violation(memory) tso=violation(memory)
//
// A stack of free buffers whose nodes are protected by hazard pointers: a thread that pops publishes the node
// that it is about to read, and a node is freed only when nobody has published it.
//
// The bug: after the thread has published the node, it does not look whether the node is still the top.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS 2
#define RETIRED_MOST 4
#define SCAN_AT 1
#define ATTEMPTS 2

struct node {
    struct node *next;
    uint32_t size;
    uint32_t owner;
};

struct hazard {
    _Atomic(struct node *) node;
};

struct retired {
    struct node *nodes[RETIRED_MOST];
    uint32_t count;
};

struct context {
    uint32_t number;
    struct hazard *hazard;
    struct retired retired;
    uint32_t bytes;
    uint32_t freed;
};

struct stack {
    _Atomic(struct node *) top;
    _Atomic uint32_t pops;
};

static struct stack buffers;
static struct hazard hazards[THREADS];
static struct context contexts[THREADS];

/* ---- nodes --------------------------------------------------------------------------------------------- */

static struct node *node_new(uint32_t size) {
    struct node *node = malloc(sizeof *node);
    node->next = NULL;
    node->size = size;
    node->owner = 0;
    return node;
}

static void context_init(struct context *context, uint32_t number) {
    context->number = number;
    context->hazard = &hazards[number];
    context->retired.count = 0;
    context->bytes = 0;
    context->freed = 0;
    atomic_init(&context->hazard->node, NULL);
}

/* ---- hazard pointers ----------------------------------------------------------------------------------- */

static void hazard_set(struct context *context, struct node *node) {
    atomic_store(&context->hazard->node, node);
}

static void hazard_clear(struct context *context) {
    atomic_store_explicit(&context->hazard->node, NULL, memory_order_release);
}

static bool hazard_protects(const struct node *node) {
    for (uint32_t i = 0; i < THREADS; i++) {
        if (atomic_load(&hazards[i].node) == node) {
            return true;
        }
    }
    return false;
}

static void retired_scan(struct context *context) {
    struct retired *retired = &context->retired;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < retired->count; i++) {
        struct node *node = retired->nodes[i];
        if (hazard_protects(node)) {
            retired->nodes[kept++] = node;
        } else {
            free(node);
            context->freed++;
        }
    }
    retired->count = kept;
}

static void retired_add(struct context *context, struct node *node) {
    struct retired *retired = &context->retired;
    assert(retired->count < RETIRED_MOST);
    retired->nodes[retired->count++] = node;
    if (retired->count >= SCAN_AT) {
        retired_scan(context);
    }
}

/* ---- the stack ----------------------------------------------------------------------------------------- */

static void stack_init(struct stack *stack) {
    atomic_init(&stack->top, NULL);
    atomic_init(&stack->pops, 0);
}

static void stack_push(struct stack *stack, struct node *node) {
    struct node *top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    do {
        node->next = top;
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, node, memory_order_release,
                                                    memory_order_relaxed));
}

static struct node *stack_protect(struct stack *stack, struct context *context) {
    struct node *top = atomic_load_explicit(&stack->top, memory_order_acquire);
    if (top != NULL) {
        hazard_set(context, top);
        /* Here the top has to be read again: it may have been popped and freed. */
    }
    return top;
}

static struct node *stack_try_pop(struct stack *stack, struct context *context) {
    struct node *top = stack_protect(stack, context);
    if (top == NULL) {
        return NULL;
    }
    struct node *next = top->next;
    struct node *expected = top;
    bool done = atomic_compare_exchange_strong(&stack->top, &expected, next);
    hazard_clear(context);
    return done ? top : NULL;
}

static struct node *stack_pop(struct stack *stack, struct context *context) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct node *node = stack_try_pop(stack, context);
        if (node != NULL) {
            atomic_fetch_add_explicit(&stack->pops, 1, memory_order_relaxed);
            return node;
        }
    }
    return NULL;
}

/* ---- users --------------------------------------------------------------------------------------------- */

static void context_use(struct context *context, struct node *node) {
    node->owner = context->number + 1;
    context->bytes += node->size;
}

static void context_flush(struct context *context) {
    retired_scan(context);
    assert(context->retired.count == 0);
}

static void *render(void *argument) {
    struct context *context = argument;
    struct node *node = stack_pop(&buffers, context);
    if (node != NULL) {
        context_use(context, node);
        retired_add(context, node);
    }
    return NULL;
}

static void *present(void *argument) {
    struct context *context = argument;
    struct node *node = stack_pop(&buffers, context);
    if (node != NULL) {
        context_use(context, node);
        retired_add(context, node);
    }
    return NULL;
}

static void stack_clear(struct stack *stack) {
    struct node *node = atomic_load(&stack->top);
    while (node != NULL) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
}

int main(void) {
    pthread_t first, second;
    stack_init(&buffers);
    for (uint32_t i = 0; i < THREADS; i++) {
        context_init(&contexts[i], i);
    }
    for (uint32_t size = 64; size <= 128; size += 64) {
        stack_push(&buffers, node_new(size));
    }
    pthread_create(&first, NULL, render, &contexts[0]);
    pthread_create(&second, NULL, present, &contexts[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        context_flush(&contexts[i]);
    }
    stack_clear(&buffers);
    return 0;
}
