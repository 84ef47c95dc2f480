// expect: all=safe
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DNO_FENCE]
// The work-stealing deque of Chase and Lev, with orders as in "Correct and efficient work-stealing for weak memory
// models". The owner's fence keeps it from reading an old top while a thief reads an old bottom.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define EMPTY (-1)
#define ITEMS 2

static atomic_int top, bottom;
static atomic_int cells[ITEMS];
static atomic_int taken[ITEMS];

static void push(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);

    atomic_store_explicit(&cells[b], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;

    atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef NO_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int item = atomic_load_explicit(&cells[b], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return item;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);

    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&cells[t], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : EMPTY;
}

static void got(int item)
{
    if (item != EMPTY)
        assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *arg)
{
    got(steal());
    got(steal());
    return arg;
}

int main(void)
{
    pthread_t thread;

    push(0);
    push(1);
    pthread_create(&thread, NULL, thief, NULL);
    got(take());
    pthread_join(thread, NULL);
    return 0;
}
