// expect: tso=violation(assertion) pso=violation(assertion)
//
// A work-stealing deque: its owner pushes and takes tasks at the bottom, thieves steal from the top.
//
// The bug: there is no fence between the owner's store to the bottom and its load of the top, so a thief and
// the owner can both have the last task.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEQUE_SLOTS 8
#define DEQUE_MASK (DEQUE_SLOTS - 1)
#define TASKS 4
#define STEAL_ATTEMPTS 2

enum task_state { TASK_WAITING, TASK_RUNNING, TASK_DONE };

struct task {
    uint32_t number;
    uint32_t first;
    uint32_t last;
    uint64_t sum;
    _Atomic uint32_t state;
};

struct deque {
    _Atomic int64_t top;
    _Atomic int64_t bottom;
    _Atomic(struct task *) slots[DEQUE_SLOTS];
};

struct worker {
    struct deque *own;
    struct deque *victim;
    uint32_t taken;
    uint32_t stolen;
    uint32_t failed;
};

enum steal_result { STEAL_DONE, STEAL_EMPTY, STEAL_LOST };

static struct task tasks[TASKS];
static struct deque deques[2];
static struct worker workers[2];

/* ---- tasks --------------------------------------------------------------------------------------------- */

static void task_init(struct task *task, uint32_t number) {
    task->number = number;
    task->first = number * 10;
    task->last = task->first + 2;
    task->sum = 0;
    atomic_init(&task->state, TASK_WAITING);
}

static void task_run(struct task *task) {
    uint32_t before = atomic_exchange(&task->state, TASK_RUNNING);
    assert(before == TASK_WAITING && "a task runs once");
    uint64_t sum = 0;
    for (uint32_t i = task->first; i < task->last; i++) {
        sum += i;
    }
    task->sum = sum;
    atomic_store_explicit(&task->state, TASK_DONE, memory_order_release);
}

/* ---- the deque ----------------------------------------------------------------------------------------- */

static void deque_init(struct deque *deque) {
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    for (int i = 0; i < DEQUE_SLOTS; i++) {
        atomic_init(&deque->slots[i], NULL);
    }
}

static _Atomic(struct task *) *deque_slot(struct deque *deque, int64_t index) {
    return &deque->slots[index & DEQUE_MASK];
}

static bool deque_is_full(int64_t top, int64_t bottom) {
    return bottom - top >= DEQUE_SLOTS;
}

static bool deque_push(struct deque *deque, struct task *task) {
    int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    int64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    if (deque_is_full(top, bottom)) {
        return false;
    }
    atomic_store_explicit(deque_slot(deque, bottom), task, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);
    return true;
}

static struct task *deque_take_last(struct deque *deque, int64_t top, int64_t bottom) {
    struct task *task = atomic_load_explicit(deque_slot(deque, bottom), memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1)) {
        task = NULL;
    }
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return task;
}

static struct task *deque_take(struct deque *deque) {
    int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
    /* atomic_thread_fence(memory_order_seq_cst) belongs here. */
    int64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    if (top > bottom) {
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
        return NULL;
    }
    if (top == bottom) {
        return deque_take_last(deque, top, bottom);
    }
    return atomic_load_explicit(deque_slot(deque, bottom), memory_order_relaxed);
}

static enum steal_result deque_steal(struct deque *deque, struct task **stolen) {
    int64_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
    if (top >= bottom) {
        return STEAL_EMPTY;
    }
    struct task *task = atomic_load_explicit(deque_slot(deque, top), memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1)) {
        return STEAL_LOST;
    }
    *stolen = task;
    return STEAL_DONE;
}

/* ---- workers ------------------------------------------------------------------------------------------- */

static void worker_init(struct worker *worker, struct deque *own, struct deque *victim) {
    worker->own = own;
    worker->victim = victim;
    worker->taken = 0;
    worker->stolen = 0;
    worker->failed = 0;
}

static bool worker_take(struct worker *worker) {
    struct task *task = deque_take(worker->own);
    if (task == NULL) {
        return false;
    }
    worker->taken++;
    task_run(task);
    return true;
}

static bool worker_steal(struct worker *worker) {
    struct task *task = NULL;
    enum steal_result result = deque_steal(worker->victim, &task);
    if (result != STEAL_DONE) {
        worker->failed++;
        return false;
    }
    worker->stolen++;
    task_run(task);
    return true;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    deque_push(worker->own, &tasks[0]);
    deque_push(worker->own, &tasks[1]);
    while (worker_take(worker)) {
    }
    return NULL;
}

static void *help(void *argument) {
    struct worker *worker = argument;
    for (int attempt = 0; attempt < STEAL_ATTEMPTS; attempt++) {
        worker_steal(worker);
    }
    return NULL;
}

int main(void) {
    pthread_t owner, thief;
    for (uint32_t i = 0; i < TASKS; i++) {
        task_init(&tasks[i], i);
    }
    deque_init(&deques[0]);
    deque_init(&deques[1]);
    worker_init(&workers[0], &deques[0], &deques[1]);
    worker_init(&workers[1], &deques[1], &deques[0]);
    pthread_create(&owner, NULL, work, &workers[0]);
    pthread_create(&thief, NULL, help, &workers[1]);
    pthread_join(owner, NULL);
    pthread_join(thief, NULL);
    assert(workers[0].taken + workers[1].stolen == 2);
    return 0;
}
