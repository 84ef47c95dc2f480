// expect: all=bounded [executions: all=32] [small]
// expect: all=violation(assertion) [options: -- -DUNSAFE]
// expect: all=bounded [options: -- -O2]
// As verification competitions write them: no headers of the tool, reach_error, atomic sections.
// Each thread adds one of four values, in one of two orders.

#include <pthread.h>

extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { ((void)0); }

void __VERIFIER_assert(int condition)
{
    if (!condition) {
    ERROR: {
        reach_error();
        abort();
    }
    }
}

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

int shared = 0;
int turns = 0;

void *thread(void *arg)
{
    int step = __VERIFIER_nondet_int();

#ifndef UNSAFE
    __VERIFIER_atomic_begin();
#endif
    int before = shared;
    shared = before + step;
    turns = turns + 1;
    __VERIFIER_assert(shared == before + step);
#ifndef UNSAFE
    __VERIFIER_atomic_end();
#endif
    return 0;
}

int main()
{
    pthread_t t1, t2;

    pthread_create(&t1, 0, thread, 0);
    pthread_create(&t2, 0, thread, 0);
    return 0;
}
