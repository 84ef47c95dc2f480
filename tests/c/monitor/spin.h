/* What the programs of this folder have in common: compare-and-swap, and locks that are taken with one
   and given back with a plain store, as on x86. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define CAS(place, expected, new) __sync_bool_compare_and_swap(place, expected, new)

typedef struct {
    int held;
} spin;

static inline void spin_lock(spin *lock) {
    while (!CAS(&lock->held, 0, 1)) {
    }
}

static inline void spin_unlock(spin *lock) {
    lock->held = 0;
}

static inline void run(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}
