// expect: sc=safe tso=safe pso=violation(assertion)
// expect: all=safe [options: -- -DFENCE]
// A sequence lock: readers retry when the number is odd or has changed. Under PSO the writer's stores need fences.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCE
#define fence() atomic_thread_fence(memory_order_release)
#else
#define fence() ((void)0)
#endif

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *arg)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);

    atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
    fence();
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    fence();
    atomic_store_explicit(&sequence, before + 2, memory_order_relaxed);
    return arg;
}

static void *reader(void *arg)
{
    unsigned before;
    int a, b;

    do {
        do
            before = atomic_load_explicit(&sequence, memory_order_acquire);
        while (before % 2 != 0);
        a = atomic_load_explicit(&left, memory_order_acquire);
        b = atomic_load_explicit(&right, memory_order_acquire);
    } while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
    assert(a == b);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
