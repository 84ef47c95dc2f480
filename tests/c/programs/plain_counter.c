// expect: all=violation(assertion)
// expect: all=safe [options: -- -DEXPECT_AT_LEAST_ONE] [executions: sc=4 tso=4 pso=4] [small]
// expect: all=violation(race) [options: --check races -- -DEXPECT_AT_LEAST_ONE]
// A lost update. Each increment is a load and a store. Seen as traces: the loads read 0 or the other's 1, and the two
// stores have an order. Loads 0 and 0 go with both orders of the stores, a load of 1 fixes the order.

#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *arg)
{
    counter++;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, increment, NULL);
    pthread_create(&t2, NULL, increment, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
#ifdef EXPECT_AT_LEAST_ONE
    assert(counter >= 1);
#else
    assert(counter == 2);
#endif
    return 0;
}
