// expect: all=safe [options: tests/c/programs/linked/counter.c] [executions: all=2]
// expect: all=violation(assertion) [options: tests/c/programs/linked/counter.c -- -DUNLOCKED]
// expect: all=unknown(unsupported)
// A program in two files: shared names are one object, static names are two.

#include "linked/counter.h"
#include <assert.h>
#include <pthread.h>

static int calls = 100;

__attribute__((weak)) int step(void)
{
    return 10;
}

static void *work(void *arg)
{
    increment();
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(counter == 2 && calls == 100 && calls_made() == 2);
    return 0;
}
