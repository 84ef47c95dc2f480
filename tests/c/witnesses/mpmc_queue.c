// expect: sc=violation(assertion) tso=violation(assertion)
//
// A bounded queue for many producers and many consumers. Every slot has a turn: a producer may fill the slot
// when the turn is the position that it has claimed, a consumer may empty it when the turn is one more.
//
// The bug: a consumer claims its position with a load and a store instead of a compare-and-exchange, so two
// consumers can take the same job.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_SLOTS 4u
#define QUEUE_MASK (QUEUE_SLOTS - 1u)
#define ATTEMPTS 2
#define JOBS 4

enum job_kind { JOB_NONE, JOB_RESIZE, JOB_ENCODE, JOB_UPLOAD };

struct job {
    enum job_kind kind;
    uint32_t identifier;
    uint32_t width;
    uint32_t height;
};

struct slot {
    _Atomic uint32_t turn;
    struct job job;
};

struct queue {
    struct slot slots[QUEUE_SLOTS];
    _Atomic uint32_t enqueue_position;
    _Atomic uint32_t dequeue_position;
};

enum queue_result { QUEUE_DONE, QUEUE_FULL, QUEUE_EMPTY, QUEUE_BUSY };

struct worker {
    struct queue *queue;
    uint32_t processed;
    uint32_t area;
};

static struct queue jobs;
static struct worker workers[2];
static _Atomic uint32_t times_done[JOBS];

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static struct job job_make(enum job_kind kind, uint32_t identifier, uint32_t width, uint32_t height) {
    struct job job;
    job.kind = kind;
    job.identifier = identifier;
    job.width = width;
    job.height = height;
    return job;
}

static uint32_t job_area(const struct job *job) {
    return job->width * job->height;
}

static bool job_is_known(const struct job *job) {
    return job->kind != JOB_NONE && job->kind <= JOB_UPLOAD && job->identifier < JOBS;
}

/* ---- slots --------------------------------------------------------------------------------------------- */

static struct slot *queue_slot(struct queue *queue, uint32_t position) {
    return &queue->slots[position & QUEUE_MASK];
}

static int32_t slot_distance(struct slot *slot, uint32_t expected) {
    uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
    return (int32_t)(turn - expected);
}

static void slot_fill(struct slot *slot, uint32_t position, const struct job *job) {
    slot->job.kind = job->kind;
    slot->job.identifier = job->identifier;
    slot->job.width = job->width;
    slot->job.height = job->height;
    atomic_store_explicit(&slot->turn, position + 1, memory_order_release);
}

static void slot_empty(struct slot *slot, uint32_t position, struct job *job) {
    job->kind = slot->job.kind;
    job->identifier = slot->job.identifier;
    job->width = slot->job.width;
    job->height = slot->job.height;
    atomic_store_explicit(&slot->turn, position + QUEUE_MASK + 1, memory_order_release);
}

static void queue_init(struct queue *queue) {
    for (uint32_t i = 0; i < QUEUE_SLOTS; i++) {
        atomic_init(&queue->slots[i].turn, i);
        queue->slots[i].job = job_make(JOB_NONE, 0, 0, 0);
    }
    atomic_init(&queue->enqueue_position, 0);
    atomic_init(&queue->dequeue_position, 0);
}

/* ---- producers ----------------------------------------------------------------------------------------- */

static enum queue_result queue_try_push(struct queue *queue, const struct job *job) {
    uint32_t position = atomic_load_explicit(&queue->enqueue_position, memory_order_relaxed);
    struct slot *slot = queue_slot(queue, position);
    int32_t distance = slot_distance(slot, position);
    if (distance < 0) {
        return QUEUE_FULL;
    }
    if (distance > 0) {
        return QUEUE_BUSY;
    }
    if (!atomic_compare_exchange_strong_explicit(&queue->enqueue_position, &position, position + 1,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return QUEUE_BUSY;
    }
    slot_fill(slot, position, job);
    return QUEUE_DONE;
}

static bool queue_push(struct queue *queue, const struct job *job) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (queue_try_push(queue, job) == QUEUE_DONE) {
            return true;
        }
    }
    return false;
}

/* ---- consumers ----------------------------------------------------------------------------------------- */

static enum queue_result queue_try_pop(struct queue *queue, struct job *job) {
    uint32_t position = atomic_load_explicit(&queue->dequeue_position, memory_order_relaxed);
    struct slot *slot = queue_slot(queue, position);
    int32_t distance = slot_distance(slot, position + 1);
    if (distance < 0) {
        return QUEUE_EMPTY;
    }
    if (distance > 0) {
        return QUEUE_BUSY;
    }
    /* Another consumer may have claimed the position in the meantime. */
    atomic_store_explicit(&queue->dequeue_position, position + 1, memory_order_relaxed);
    slot_empty(slot, position, job);
    return QUEUE_DONE;
}

static bool queue_pop(struct queue *queue, struct job *job) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        enum queue_result result = queue_try_pop(queue, job);
        if (result == QUEUE_DONE) {
            return true;
        }
        if (result == QUEUE_EMPTY) {
            return false;
        }
    }
    return false;
}

static void worker_run(struct worker *worker, const struct job *job) {
    assert(job_is_known(job));
    uint32_t before = atomic_fetch_add(&times_done[job->identifier], 1);
    assert(before == 0 && "a job is done once");
    worker->processed++;
    worker->area += job_area(job);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct job job;
    if (queue_pop(worker->queue, &job)) {
        worker_run(worker, &job);
    }
    return NULL;
}

static void *submit(void *argument) {
    struct queue *queue = argument;
    struct job job = job_make(JOB_UPLOAD, 3, 640, 480);
    queue_push(queue, &job);
    return NULL;
}

int main(void) {
    pthread_t producer, first, second;
    queue_init(&jobs);
    struct job early[] = {job_make(JOB_RESIZE, 0, 16, 16), job_make(JOB_ENCODE, 1, 32, 8)};
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        queue_push(&jobs, &early[i]);
    }
    workers[0].queue = &jobs;
    workers[1].queue = &jobs;
    pthread_create(&producer, NULL, submit, &jobs);
    pthread_create(&first, NULL, work, &workers[0]);
    pthread_create(&second, NULL, work, &workers[1]);
    pthread_join(producer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(workers[0].processed + workers[1].processed <= JOBS);
    return 0;
}
