// expect: sc=safe tso=safe pso=safe
// expect: sc=safe tso=safe pso=violation(assertion) [options: -- -DORDER=__ATOMIC_RELAXED]
// The builtins below <stdatomic.h>, on plain objects.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef ORDER
#define ORDER __ATOMIC_RELEASE
#endif

static long data;
static bool ready;

static void *sender(void *arg)
{
    __atomic_store_n(&data, 7, __ATOMIC_RELAXED);
    __atomic_store_n(&ready, true, ORDER);
    return arg;
}

static void *receiver(void *arg)
{
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        assert(__atomic_load_n(&data, __ATOMIC_RELAXED) == 7);
    return arg;
}

static void values(void)
{
    int x = 1, y = 5, old, expected = 5;

    __atomic_store(&x, &y, __ATOMIC_SEQ_CST);
    __atomic_load(&x, &old, __ATOMIC_SEQ_CST);
    assert(old == 5);
    y = 6;
    __atomic_exchange(&x, &y, &old, __ATOMIC_ACQ_REL);
    assert(x == 6 && old == 5);
    assert(!__atomic_compare_exchange_n(&x, &expected, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(expected == 6);
    assert(__atomic_compare_exchange_n(&x, &expected, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED) == 10);
    assert(__atomic_fetch_nand(&x, 2, __ATOMIC_RELAXED) == 10 && x == ~2);
    bool flag = false;
    assert(!__atomic_test_and_set(&flag, __ATOMIC_ACQUIRE));
    __atomic_clear(&flag, __ATOMIC_RELEASE);
    assert(!flag);
}

int main(void)
{
    pthread_t t1, t2;

    values();
    pthread_create(&t1, NULL, sender, NULL);
    pthread_create(&t2, NULL, receiver, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
