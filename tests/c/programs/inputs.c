// expect: all=bounded power=bounded arm=bounded
// expect: all=bounded power=bounded arm=bounded [options: --nondet-range -9..9]
// expect: sc=bounded tso=bounded [options: --strategy lazy]
// expect: all=safe power=safe arm=safe [options: -- -DTRUTH]
// expect: all=bounded power=bounded arm=bounded [options: -- -DBYTE]
// expect: all=safe [options: --nondet-range 0..255 -- -DBYTE]
// expect: all=safe [options: --nondet-range -128..127 -- -DCHAR]
// expect: all=bounded [options: --nondet-range -128..126 -- -DCHAR]
// expect: all=bounded power=bounded arm=bounded [options: -- -DRAND]
// expect: all=bounded power=bounded arm=bounded [options: -- -DTIME]
// expect: all=bounded power=bounded arm=bounded [options: -- -DENVIRONMENT]
// expect: all=unknown power=unknown arm=unknown [options: -- -DNOTHING]
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: --nondet-range 0..80]
// Inputs of which some values were tried only are a bound; of a search without an execution nothing follows.

#include <assert.h>
#include <stdlib.h>
#include <time.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void)
{
#if defined TRUTH
    assert(__VERIFIER_nondet_bool() < 2);
#elif defined BYTE
    assert(__VERIFIER_nondet_uchar() < 256);
#elif defined CHAR
    assert(__VERIFIER_nondet_char() < 128);
#elif defined RAND
    assert(rand() >= 0);
#elif defined TIME
    assert(time(NULL) != 77);
#elif defined ENVIRONMENT
    assert(!getenv("NAME") || getenv("NAME"));
#elif defined NOTHING
    __VERIFIER_assume(__VERIFIER_nondet_bool() > 1);
    assert(0);
#else
    int n = __VERIFIER_nondet_int();
    if (n < 100)
        assert(n != 77);
#endif
    return 0;
}
