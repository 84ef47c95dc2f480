// expect: all=safe [options: -- -DFORM=1]
// expect: all=safe [options: -- -DFORM=2]
// expect: all=safe [options: -- -DFORM=3]
// expect: all=safe [options: -- -DFORM=4]
// expect: all=safe [options: -- -DFORM=5]
// expect: all=safe [options: -- -DFORM=6]
// expect: all=safe [options: -- -DFORM=7]
// expect: all=safe [options: -- -DFORM=8]
// expect: all=safe [options: -- -DFORM=9]
// expect: all=safe [options: -- -DFORM=10]
// One thread waits for the other's flag, in every form that people write.

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static volatile int flag;
static atomic_int atomic;
static int data;

struct state {
    struct {
        int pad, flag;
    } inner;
};
static struct state global_state;
static struct state *volatile state __attribute__((unused)) = &global_state;

__attribute__((unused)) static int is_set(const volatile int *cell)
{
    return *cell != 0;
}

static int wait_for_it(void)
{
#if FORM == 1
    while (!flag)
        ;
#elif FORM == 2
    int seen;
    do {
        seen = flag;
    } while (seen == 0);
#elif FORM == 3
    for (;;) {
        if (flag)
            break;
    }
#elif FORM == 4
    while (!is_set(&flag))
        __asm__ volatile("pause" ::: "memory");
#elif FORM == 5
    while (1) {
        if (!is_set(&flag)) {
            sched_yield();
            continue;
        }
        return 1;
    }
#elif FORM == 6
again:
    if (!atomic_load_explicit(&atomic, memory_order_acquire))
        goto again;
#elif FORM == 7
    while (atomic_exchange(&atomic, 0) == 0)
        ;
#elif FORM == 8
    int expected;
    do
        expected = 1;
    while (!atomic_compare_exchange_strong(&atomic, &expected, 2));
#elif FORM == 9
    while (!((volatile struct state *)state)->inner.flag)
        __builtin_ia32_pause();
#elif FORM == 10
    // A nested wait: the outer loop reads, too.
    while (!flag || !atomic_load(&atomic))
        while (!flag)
            ;
#endif
    return 1;
}

static void *waiter(void *arg)
{
    assert(wait_for_it());
    assert(__atomic_load_n(&data, __ATOMIC_RELAXED) == 1);
    return arg;
}

static void *setter(void *arg)
{
    __atomic_store_n(&data, 1, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    flag = 1;
    global_state.inner.flag = 1;
    atomic_store(&atomic, 1);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, waiter, NULL);
    pthread_create(&t2, NULL, setter, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
