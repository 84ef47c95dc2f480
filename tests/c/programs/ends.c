// expect: all=violation(abort) [options: -- -DABORT]
// expect: all=violation(unreachable) [options: -- -DUNREACHABLE]
// expect: all=violation(assertion) [options: -- -DASSERT]
// expect: all=unknown(unsupported) [options: -- -DUNKNOWN]
// expect: all=safe [options: -- -DEXIT]
// expect: all=safe [options: -- -DEXIT_IN_THREAD]
// expect: all=safe [options: -- -DPTHREAD_EXIT]
// expect: all=safe [options: -- -DSELF]
// expect: all=safe
// The ways in which a program can end.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int nobody_knows_this(int);

static int never;

static void *work(void *arg)
{
#if defined EXIT_IN_THREAD
    exit(0);
#elif defined PTHREAD_EXIT
    pthread_exit((void *)7);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, work, NULL);
#if defined ABORT
    abort();
#elif defined UNREACHABLE
    __builtin_unreachable();
#elif defined ASSERT
    assert(never);
#elif defined UNKNOWN
    return nobody_knows_this(1);
#elif defined EXIT
    exit(3);
#elif defined SELF
    assert(pthread_equal(pthread_self(), pthread_self()) && !pthread_equal(pthread_self(), thread));
#endif
    if (never)
        nobody_knows_this(2);
    pthread_join(thread, &result);
#if defined PTHREAD_EXIT
    assert(result == (void *)7);
#elif defined EXIT_IN_THREAD
    abort();
#endif
    return 0;
}
