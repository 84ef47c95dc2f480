// expect: sc=violation(deadlock) tso=violation(deadlock)
//
// A pool of threads that wait for tasks on a condition variable, and a caller that waits until all are done.
//
// The bug: the caller looks at the number of unfinished tasks without the lock before it waits, so the last
// signal may come in between, and nobody wakes it.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_SLOTS 4u
#define POOL_THREADS 2

typedef void task_function(void *argument);

struct task {
    task_function *run;
    void *argument;
};

struct task_queue {
    struct task tasks[QUEUE_SLOTS];
    uint32_t head;
    uint32_t tail;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t has_tasks;
    pthread_cond_t is_idle;
    struct task_queue queue;
    _Atomic uint32_t unfinished;
    bool stops;
    uint32_t finished;
    pthread_t threads[POOL_THREADS];
    uint32_t thread_count;
};

struct tile {
    uint32_t x;
    uint32_t y;
    uint32_t colour;
};

static struct pool pool;
static struct tile tiles[2];

/* ---- the queue; its users hold the lock ---------------------------------------------------------------- */

static bool task_queue_is_empty(const struct task_queue *queue) {
    return queue->head == queue->tail;
}

static bool task_queue_is_full(const struct task_queue *queue) {
    return queue->tail - queue->head == QUEUE_SLOTS;
}

static bool task_queue_put(struct task_queue *queue, struct task task) {
    if (task_queue_is_full(queue)) {
        return false;
    }
    queue->tasks[queue->tail % QUEUE_SLOTS] = task;
    queue->tail++;
    return true;
}

static struct task task_queue_get(struct task_queue *queue) {
    assert(!task_queue_is_empty(queue));
    struct task task = queue->tasks[queue->head % QUEUE_SLOTS];
    queue->head++;
    return task;
}

/* ---- the pool's threads -------------------------------------------------------------------------------- */

static bool pool_next(struct pool *pool, struct task *task) {
    bool found = false;
    pthread_mutex_lock(&pool->lock);
    while (task_queue_is_empty(&pool->queue) && !pool->stops) {
        pthread_cond_wait(&pool->has_tasks, &pool->lock);
    }
    if (!task_queue_is_empty(&pool->queue)) {
        *task = task_queue_get(&pool->queue);
        found = true;
    }
    pthread_mutex_unlock(&pool->lock);
    return found;
}

static void pool_finish(struct pool *pool) {
    pool->finished++;
    if (atomic_fetch_sub(&pool->unfinished, 1) == 1) {
        pthread_cond_signal(&pool->is_idle);
    }
}

static void *pool_thread(void *argument) {
    struct pool *pool = argument;
    struct task task;
    while (pool_next(pool, &task)) {
        task.run(task.argument);
        pool_finish(pool);
    }
    return NULL;
}

/* ---- the pool ------------------------------------------------------------------------------------------ */

static void pool_init(struct pool *pool) {
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->has_tasks, NULL);
    pthread_cond_init(&pool->is_idle, NULL);
    pool->queue.head = 0;
    pool->queue.tail = 0;
    atomic_init(&pool->unfinished, 0);
    pool->stops = false;
    pool->finished = 0;
    pool->thread_count = 0;
}

static void pool_start(struct pool *pool, uint32_t threads) {
    assert(threads <= POOL_THREADS);
    for (uint32_t i = 0; i < threads; i++) {
        pthread_create(&pool->threads[i], NULL, pool_thread, pool);
        pool->thread_count++;
    }
}

static bool pool_submit(struct pool *pool, task_function *run, void *argument) {
    struct task task = {.run = run, .argument = argument};
    pthread_mutex_lock(&pool->lock);
    bool put = task_queue_put(&pool->queue, task);
    if (put) {
        atomic_fetch_add(&pool->unfinished, 1);
        pthread_cond_signal(&pool->has_tasks);
    }
    pthread_mutex_unlock(&pool->lock);
    return put;
}

static void pool_wait(struct pool *pool) {
    /* The number has to be looked at under the lock, and the signal has to be sent under it. */
    while (atomic_load(&pool->unfinished) != 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_wait(&pool->is_idle, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void pool_stop(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->stops = true;
    pthread_cond_broadcast(&pool->has_tasks);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        pthread_join(pool->threads[i], NULL);
    }
}

static void pool_destroy(struct pool *pool) {
    assert(task_queue_is_empty(&pool->queue));
    pthread_cond_destroy(&pool->is_idle);
    pthread_cond_destroy(&pool->has_tasks);
    pthread_mutex_destroy(&pool->lock);
}

/* ---- the program --------------------------------------------------------------------------------------- */

static uint32_t colour_at(uint32_t x, uint32_t y) {
    uint32_t red = (x * 13u) & 0xffu;
    uint32_t green = (y * 29u) & 0xffu;
    return red << 16 | green << 8;
}

static void render_tile(void *argument) {
    struct tile *tile = argument;
    tile->colour = colour_at(tile->x, tile->y);
}

static void tile_init(struct tile *tile, uint32_t x, uint32_t y) {
    tile->x = x;
    tile->y = y;
    tile->colour = 0;
}

int main(void) {
    pool_init(&pool);
    tile_init(&tiles[0], 1, 2);
    tile_init(&tiles[1], 3, 4);
    pool_start(&pool, 1);
    pool_submit(&pool, render_tile, &tiles[0]);
    pool_submit(&pool, render_tile, &tiles[1]);
    pool_wait(&pool);
    assert(tiles[0].colour == colour_at(1, 2));
    assert(tiles[1].colour == colour_at(3, 4));
    pool_stop(&pool);
    pool_destroy(&pool);
    return 0;
}
