// expect: all=violation(assertion)
// expect: sc=safe tso=safe pso=violation(assertion) [options: -- -DFLAG]
// A buffer that sprintf fills is memory like any other: another thread may see it before, half done, and under PSO
// after a store that comes later.

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[8];
static volatile int ready;

static void *writer(void *arg)
{
    sprintf(text, "h%d", 1);
    ready = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, writer, NULL);
#ifdef FLAG
    if (ready)
        assert(text[0] == 'h' && text[1] == '1');
#else
    assert(text[0] == 0 || text[1] == '1');
#endif
    return 0;
}
