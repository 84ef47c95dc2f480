// expect: sc=safe tso=safe pso=violation(assertion)
// Atomic instructions in inline assembly, as kernels have them. The lock is given back by an ordinary store.

#include <assert.h>
#include <pthread.h>

static int counter, word;

static int fetch_add(int *cell, int n)
{
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(*cell) : : "memory", "cc");
    return n;
}

static int exchange(int *cell, int n)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(n), "+m"(*cell) : : "memory");
    return n;
}

static int compare_exchange(int *cell, int old, int new)
{
    int seen;

    __asm__ volatile("lock; cmpxchgl %2, %1"
                     : "=a"(seen), "+m"(*cell)
                     : "r"(new), "0"(old)
                     : "memory", "cc");
    return seen;
}

// Two words at once, if both are as expected.
static int compare_exchange_pair(unsigned long *cells, unsigned long *old, const unsigned long *new)
{
    unsigned char done;

    __asm__ volatile("lock; cmpxchg16b %0; setz %3"
                     : "+m"(*(unsigned long(*)[2])cells), "+a"(old[0]), "+d"(old[1]), "=q"(done)
                     : "b"(new[0]), "c"(new[1])
                     : "memory", "cc");
    return done;
}

static int load(int *cell)
{
    int seen;

    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(*cell) : "memory");
    return seen;
}

static void store(int *cell, int n)
{
    __asm__ volatile("movl %1, %0" : "=m"(*cell) : "ir"(n) : "memory");
}

static void *work(void *arg)
{
    while (exchange(&word, 1))
        ;
    counter++;
    __asm__ volatile("" ::: "memory");
    store(&word, 0);
    return arg;
}

int main(void)
{
    pthread_t thread;

    assert(compare_exchange(&counter, 0, 5) == 0 && compare_exchange(&counter, 0, 6) == 5);
    assert(fetch_add(&counter, -5) == 5);
    unsigned long cells[2] __attribute__((aligned(16))) = {1, 2}, old[2] = {1, 3}, new[2] = {4, 5};
    assert(!compare_exchange_pair(cells, old, new) && old[0] == 1 && old[1] == 2);
    assert(compare_exchange_pair(cells, old, new) && cells[0] == 4 && cells[1] == 5);
    pthread_create(&thread, NULL, work, NULL);
    while (exchange(&word, 1))
        ;
    counter++;
    store(&word, 0);
    pthread_join(thread, NULL);
    assert(load(&counter) == 2 && load(&word) == 0);
    return 0;
}
