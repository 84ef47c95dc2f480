// expect: all=safe
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DFENCE=]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DFENCE=sfence]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion) [options: -- -DFENCE=lfence]
// expect: all=safe [options: -- -DLOCKED]
// Store buffering on plain variables with x86's fences.

#include <assert.h>
#include <pthread.h>

#ifndef FENCE
#define FENCE mfence
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

#ifdef LOCKED
// What older kernels and Java's virtual machines use instead of mfence.
#define fence() __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc")
#else
#define fence() __asm__ volatile(TEXT(FENCE) ::: "memory")
#endif

static int x, y, a, b;

static void *left(void *arg)
{
    x = 1;
    fence();
    a = y;
    return arg;
}

static void *right(void *arg)
{
    y = 1;
    fence();
    b = x;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(a || b);
    return 0;
}
