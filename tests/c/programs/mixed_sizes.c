// expect: all=safe
// expect: all=violation(assertion) [options: -- -DSPLIT]
// A word is written whole or in halves, and read whole.

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    volatile uint32_t whole;
    volatile uint16_t halves[2];
} shared;

static void *writer(void *arg)
{
#ifdef SPLIT
    shared.halves[0] = 1;
    shared.halves[1] = 1;
#else
    shared.whole = 0x00010001;
#endif
    return arg;
}

static void *reader(void *arg)
{
    uint32_t seen = shared.whole;

    assert(seen == 0 || seen == 0x00010001);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
