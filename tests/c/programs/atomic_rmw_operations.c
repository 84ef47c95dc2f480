// expect: all=safe [executions: all=1]
// Every operation of <stdatomic.h>, in one thread.

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static void fetches(void)
{
    atomic_uint x = 12;

    assert(atomic_fetch_add(&x, 3) == 12 && x == 15);
    assert(atomic_fetch_sub(&x, 5) == 15 && x == 10);
    assert(atomic_fetch_or(&x, 5) == 10 && x == 15);
    assert(atomic_fetch_and(&x, 6) == 15 && x == 6);
    assert(atomic_fetch_xor(&x, 3) == 6 && x == 5);
    assert(atomic_exchange(&x, 9) == 5 && x == 9);
    assert(x++ == 9 && ++x == 11 && x-- == 11 && --x == 9);
    x += 7;
    x ^= 1;
    assert(x == 17);
}

static void swaps(void)
{
    atomic_long x = 4;
    long expected = 3;

    assert(!atomic_compare_exchange_strong(&x, &expected, 8));
    assert(expected == 4 && x == 4);
    assert(atomic_compare_exchange_strong_explicit(&x, &expected, 8, memory_order_acq_rel, memory_order_acquire));
    assert(expected == 4 && x == 8);
    expected = 8;
    while (!atomic_compare_exchange_weak(&x, &expected, -1))
        ;
    assert(x == -1);
}

static void widths(void)
{
    _Atomic uint8_t byte = 255;
    _Atomic int16_t half = -1;
    _Atomic uint64_t word = UINT64_MAX;
    atomic_bool flag = false;
    _Atomic(char *) pointer;
    char text[4];

    assert(atomic_fetch_add(&byte, 1) == 255 && byte == 0);
    assert(atomic_fetch_sub(&half, 1) == -1 && half == -2);
    assert(atomic_fetch_add(&word, 2) == UINT64_MAX && word == 1);
    assert(!atomic_exchange(&flag, true) && flag);
    atomic_init(&pointer, text);
    assert(atomic_fetch_add(&pointer, 3) == text && pointer == text + 3);
}

static void flags(void)
{
    atomic_flag flag = ATOMIC_FLAG_INIT;

    assert(!atomic_flag_test_and_set(&flag));
    assert(atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    atomic_flag_clear_explicit(&flag, memory_order_release);
    assert(!atomic_flag_test_and_set(&flag));
}

int main(void)
{
    fetches();
    swaps();
    widths();
    flags();
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    return 0;
}
