#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Atomics of all sizes and orders, fences, thread-local variables, volatile, threads. */

atomic_char a8;
atomic_ushort a16;
atomic_int a32;
atomic_llong a64;
_Atomic(void *) pointer;
_Atomic float real;
_Atomic _Bool flag;
struct pair { int32_t a, b; };
_Atomic struct pair pair;
__int128 wide __attribute__((aligned(16)));
volatile int port;
_Thread_local int mine = 3;
static __thread char buffer[16];
extern _Thread_local int theirs;
atomic_flag spin = ATOMIC_FLAG_INIT;

#define EVERY(A, ORDER_LOAD, ORDER_STORE, ORDER_RMW)                                  \
    do {                                                                              \
        atomic_store_explicit(&A, 1, ORDER_STORE);                                    \
        seen += (int)atomic_load_explicit(&A, ORDER_LOAD);                            \
        seen += (int)atomic_exchange_explicit(&A, 2, ORDER_RMW);                      \
        seen += (int)atomic_fetch_add_explicit(&A, 3, ORDER_RMW);                     \
        seen += (int)atomic_fetch_sub_explicit(&A, 4, ORDER_RMW);                     \
        seen += (int)atomic_fetch_and_explicit(&A, 5, ORDER_RMW);                     \
        seen += (int)atomic_fetch_or_explicit(&A, 6, ORDER_RMW);                      \
        seen += (int)atomic_fetch_xor_explicit(&A, 7, ORDER_RMW);                     \
    } while (0)

int every(void) {
    int seen = 0;
    EVERY(a8, memory_order_relaxed, memory_order_relaxed, memory_order_relaxed);
    EVERY(a16, memory_order_acquire, memory_order_release, memory_order_acq_rel);
    EVERY(a32, memory_order_seq_cst, memory_order_seq_cst, memory_order_seq_cst);
    EVERY(a64, memory_order_consume, memory_order_release, memory_order_acquire);
    return seen + __atomic_fetch_nand(&port, 1, __ATOMIC_RELEASE) +
           __atomic_fetch_max(&port, 1, __ATOMIC_RELAXED) +
           (int)__atomic_fetch_min((unsigned *)&port, 1, __ATOMIC_RELAXED);
}

int exchange(int expected) {
    long long old = expected;
    struct pair before = atomic_load(&pair), after = { 1, 2 };
    return atomic_compare_exchange_strong(&a32, &expected, 5) +
           atomic_compare_exchange_weak_explicit(&a64, &old, 6, memory_order_acq_rel,
                                                 memory_order_relaxed) +
           atomic_compare_exchange_strong(&pair, &before, after) +
           __sync_bool_compare_and_swap(&port, 1, 2) + (int)__sync_lock_test_and_set(&port, 1);
}

void fences(void) {
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_release);
    atomic_thread_fence(memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_synchronize();
}

float others(void *p) {
    atomic_store(&pointer, p);
    atomic_store_explicit(&real, 1.5f, memory_order_relaxed);
    while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
        ;
    atomic_flag_clear_explicit(&spin, memory_order_release);
    wide = __sync_val_compare_and_swap(&wide, 0, (__int128)p == 0);
    port = port + ++mine + buffer[3] + theirs + atomic_load(&flag);
    return real;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *arg) {
    pthread_mutex_lock(&lock);
    a32 += *(int *)arg;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    int one = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, &one);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return a32;
}
