// expect: all=safe [options: -- -DNO_ASSERT] [executions: sc=3 tso=4 pso=4] [small]
// expect: sc=safe tso=violation(assertion) pso=violation(assertion)
// A thread sees its own store before anybody else does.

#include <assert.h>
#include <pthread.h>

static volatile int x, y;
static int a, b, c, d;

static void *left(void *arg)
{
    x = 1;
    a = x;
    b = y;
    return arg;
}

static void *right(void *arg)
{
    y = 1;
    c = y;
    d = x;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(a == 1 && c == 1);
#ifndef NO_ASSERT
    assert(b == 1 || d == 1);
#endif
    return 0;
}
