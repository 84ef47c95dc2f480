// expect: all=violation(assertion)
// expect: all=violation(assertion) [options: -- -O2]
// expect: all=bounded [options: -- -DSAFE]
// expect: all=bounded [options: -- -DSAFE -O2]
// The names of verification tasks, in C++ without extern "C".

#include <cassert>
#include <thread>

int __VERIFIER_nondet_int();
void __VERIFIER_assume(int condition);
void __VERIFIER_atomic_begin();
void __VERIFIER_atomic_end();
void reach_error() { }

static int x;

static void __VERIFIER_atomic_add(int n)
{
    int before = x;
    x = before + n;
}

int main()
{
    int n = __VERIFIER_nondet_int();

    __VERIFIER_assume(n > 1);
    std::thread other(__VERIFIER_atomic_add, n);
    __VERIFIER_atomic_begin();
    int before = x;
    x = before + n;
    __VERIFIER_atomic_end();
    other.join();
    assert(x == 2 * n);
#ifndef SAFE
    if (n == 3)
        reach_error();
#endif
}
