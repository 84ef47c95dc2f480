// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: --keep-going]
// expect: all=violation(assertion) [options: --strategy source]
// expect: all=violation(assertion) [options: --strategy persistent]
// expect: all=violation(assertion) [options: --strategy exhaustive]
// expect: all=violation(assertion) [options: --strategy graph]
// expect: all=violation(assertion) [options: --strategy random --runs 200]
// expect: sc=violation(assertion) tso=violation(assertion) [options: --strategy lazy]
// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion) [options: -- -DFIRST]
// expect: all=unknown(unsupported) power=unknown(unsupported) arm=unknown(unsupported) [options: -- -DALONE]
// expect: all=unknown(unsupported) power=unknown(unsupported) arm=unknown(unsupported) [options: --keep-going -- -DALONE]
// expect: sc=unknown(unsupported) tso=unknown(unsupported) [options: --strategy lazy -- -DALONE]
// A call of something that raddle does not know does not end the search: the failure of another execution is found.

#include <assert.h>
#include <pthread.h>

extern int nobody_knows_this(int);

static _Atomic int x;

static void *work(void *arg)
{
    x = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
#ifdef FIRST
    if (x)
        assert(!"the other thread was first");
    nobody_knows_this(1);
#else
    if (!x)
        nobody_knows_this(1);
#ifndef ALONE
    else
        assert(!"the other thread was first");
#endif
#endif
    return 0;
}
