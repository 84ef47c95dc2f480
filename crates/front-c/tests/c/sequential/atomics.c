// stdatomic.h and the builtins, by one thread.
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

atomic_int x = 1;
_Atomic uint8_t small;
_Atomic int64_t large;
atomic_flag flag = ATOMIC_FLAG_INIT;
_Atomic(int *) pointer;

int main(void) {
    assert(atomic_load(&x) == 1);
    atomic_store_explicit(&x, 2, memory_order_release);
    assert(atomic_fetch_add(&x, 5) == 2 && atomic_exchange(&x, 3) == 7);
    int expected = 4;
    assert(!atomic_compare_exchange_strong(&x, &expected, 5) && expected == 3);
    assert(atomic_compare_exchange_weak_explicit(&x, &expected, 5, memory_order_acq_rel,
                                                 memory_order_relaxed));
    assert(atomic_fetch_or(&x, 8) == 5 && atomic_fetch_and(&x, 12) == 13 && x == 12);
    small = 255;
    small++;
    assert(small == 0);
    assert(atomic_fetch_sub_explicit(&large, 1, memory_order_relaxed) == 0 && large == -1);
    assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    int a[2] = {1, 2};
    pointer = a;
    assert(*atomic_fetch_add(&pointer, 1) == 1 && *pointer == 2);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    int plain = 10;
    assert(__sync_fetch_and_add(&plain, 1) == 10 && __sync_bool_compare_and_swap(&plain, 11, 12));
    assert(__atomic_load_n(&plain, __ATOMIC_ACQUIRE) == 12 && __atomic_add_fetch(&plain, 1, __ATOMIC_SEQ_CST) == 13);
    __sync_synchronize();
    bool done = false;
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    assert(done);
    return 0;
}
