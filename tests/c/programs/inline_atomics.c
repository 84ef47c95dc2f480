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
    pthread_create(&thread, NULL, work, NULL);
    while (exchange(&word, 1))
        ;
    counter++;
    store(&word, 0);
    pthread_join(thread, NULL);
    assert(load(&counter) == 2 && load(&word) == 0);
    return 0;
}
