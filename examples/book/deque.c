// expect: sc=safe tso=violation(assertion) pso=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// The work-stealing deque of Chase and Lev, without the fence between the two ends. Its owner pushes and takes at
// the bottom, thieves steal from the top; over the last task they compete with a compare-and-exchange.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 2
#define NOTHING (-1)

static atomic_int top, bottom;
static atomic_int tasks[TASKS];
static atomic_int done[TASKS];

static void push(int task)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);

    atomic_store_explicit(&tasks[b], task, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;

    atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifdef FIXED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    int task = NOTHING;
    if (t <= b)
        task = atomic_load_explicit(&tasks[b], memory_order_relaxed);
    if (t < b)
        return task;
    // The last task, or none: top is where the thieves are.
    if (t == b && !atomic_compare_exchange_strong(&top, &t, t + 1))
        task = NOTHING;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return task;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
#ifdef FIXED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int b = atomic_load_explicit(&bottom, memory_order_acquire);

    if (t >= b)
        return NOTHING;
    int task = atomic_load_explicit(&tasks[t], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : NOTHING;
}

static void run(int task)
{
    if (task != NOTHING)
        assert(atomic_fetch_add(&done[task], 1) == 0);
}

static void *thief(void *unused)
{
    (void)unused;
    run(steal());
    run(steal());
    return NULL;
}

int main(void)
{
    pthread_t other;

    push(0);
    push(1);
    pthread_create(&other, NULL, thief, NULL);
    run(take());
    pthread_join(other, NULL);
    return 0;
}
