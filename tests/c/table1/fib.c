// Two threads add two numbers into each other, each five times; neither can exceed the twelfth Fibonacci number,
// which both reach in the right interleaving.
//
//   -DBOUND=144  the bound holds (the default); with 143 it does not
//   -DSTEPS=4    the number of additions of each thread, 5 otherwise; the bound is then 55, the tenth number
//   -DJOIN       main waits for the threads before it looks

#include <assert.h>
#include <pthread.h>

#ifndef BOUND
#define BOUND 144
#endif
#ifndef STEPS
#define STEPS 5
#endif

static int i = 1, j = 1;

static void *add_to_i(void *arg)
{
    for (int k = 0; k < STEPS; k++)
        i += j;
    return arg;
}

static void *add_to_j(void *arg)
{
    for (int k = 0; k < STEPS; k++)
        j += i;
    return arg;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, add_to_i, NULL);
    pthread_create(&second, NULL, add_to_j, NULL);
#ifdef JOIN
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#endif
    assert(i <= BOUND);
    assert(j <= BOUND);
    return 0;
}
