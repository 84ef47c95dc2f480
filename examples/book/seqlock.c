// expect: sc=safe tso=safe pso=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// A seqlock: the number is odd while the pair is being written. A reader takes the pair if the number was even and
// has not changed, and tries again otherwise.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define fence(order) atomic_thread_fence(order)
#else
#define fence(order) ((void)0)
#endif

static atomic_uint number;
static atomic_int left, right; // always equal

static void *writer(void *unused)
{
    (void)unused;
    atomic_store_explicit(&number, 1, memory_order_relaxed);
    fence(memory_order_release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    fence(memory_order_release);
    atomic_store_explicit(&number, 2, memory_order_relaxed);
    return NULL;
}

static void *reader(void *unused)
{
    unsigned before, after;
    int l, r;

    (void)unused;
    do {
        before = atomic_load_explicit(&number, memory_order_relaxed);
        fence(memory_order_acquire);
        l = atomic_load_explicit(&left, memory_order_relaxed);
        r = atomic_load_explicit(&right, memory_order_relaxed);
        fence(memory_order_acquire);
        after = atomic_load_explicit(&number, memory_order_relaxed);
    } while (before % 2 == 1 || before != after);
    assert(l == r);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
