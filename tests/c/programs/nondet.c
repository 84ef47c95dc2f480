// expect: all=violation(assertion)
// expect: all=bounded [options: --nondet-range=-1..1] [executions: all=6] [small]
// Inputs are every value of the range: three integers, and a truth value.

#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);
extern bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    bool b = __VERIFIER_nondet_bool();

    assert(n < 3 || b);
    return 0;
}
