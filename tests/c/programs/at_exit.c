// expect: all=violation(assertion) [options: -- -DRETURN]
// expect: all=violation(assertion) [options: -- -DEXIT]
// expect: all=safe
// What atexit registers runs at exit and at the end of main, the last first; _exit runs nothing.

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

static int order;

static void first(void)
{
    assert(order == 0);
}

static void second(void)
{
    assert(order == 1);
    order = 2;
}

int main(void)
{
    assert(atexit(first) == 0 && atexit(second) == 0);
    order = 1;
#if defined RETURN
    return 0;
#elif defined EXIT
    exit(0);
#else
    _exit(0);
#endif
}
