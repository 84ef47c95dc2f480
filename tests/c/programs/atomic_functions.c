// expect: all=safe power=safe arm=safe
// expect: all=safe power=safe arm=safe [options: -- -DNESTED]
// expect: all=safe power=safe arm=safe [options: -- -DRECURSIVE]
// expect: all=safe power=safe arm=safe [options: -- -DSPAWNS]
// expect: all=safe power=safe arm=safe [options: -- -DSECTION]
// expect: all=safe power=safe arm=safe [options: -- -DASSUME]
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: -- -DPLAIN]
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: -- -DBETWEEN]
// expect: all=violation(lock-misuse) power=violation(lock-misuse) arm=violation(lock-misuse) [options: -- -DUNBALANCED]
// expect: all=safe power=safe arm=safe [options: -- -O2]
// expect: all=safe power=safe arm=safe [options: -- -DNESTED -O2]
// expect: all=safe power=safe arm=safe [options: -- -DASSUME -O2]
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: -- -DBETWEEN -O2]
// Functions whose names begin with __VERIFIER_atomic_ are atomic, as verification tasks expect.

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, locked;

#ifdef PLAIN
#define __VERIFIER_atomic_add add
#endif

static int __VERIFIER_atomic_add(int n)
{
    if (n == 0)
        return x;
    x = x + 1;
    return __VERIFIER_atomic_add(n - 1);
}

static int __VERIFIER_atomic_outer(void)
{
    int before = x;
    __VERIFIER_atomic_add(1);
    x = x + 1;
    return before;
}

static void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(!locked);
    locked = 1;
}

static void __VERIFIER_atomic_release(void)
{
    locked = 0;
}

static void *nothing(void *arg)
{
    return arg;
}

static void __VERIFIER_atomic_spawn(void)
{
    pthread_t thread;
    int before = x;
    pthread_create(&thread, NULL, nothing, NULL);
    x = before + 2;
}

static void *work(void *arg)
{
#if defined NESTED
    __VERIFIER_atomic_outer();
#elif defined RECURSIVE
    __VERIFIER_atomic_add(2);
#elif defined SPAWNS
    __VERIFIER_atomic_spawn();
#elif defined SECTION
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_add(1);
    __VERIFIER_atomic_end();
#elif defined ASSUME
    __VERIFIER_atomic_acquire();
    x++;
    x++;
    __VERIFIER_atomic_release();
#elif defined BETWEEN
    int before = __VERIFIER_atomic_add(1);
    int after = __VERIFIER_atomic_add(1);
    assert(after == before + 1);
#elif defined UNBALANCED
    __VERIFIER_atomic_end();
#else
    __VERIFIER_atomic_add(1);
    __VERIFIER_atomic_add(1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    assert(x == 4);
    return 0;
}
