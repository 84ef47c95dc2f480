// expect: sc=safe tso=violation(assertion) pso=violation(assertion)
// expect: all=safe [options: -- -DFENCE]
// Lamport's bakery for two threads.

#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

static volatile int choosing[2], number[2], owner;

static void lock(int me)
{
    int other = 1 - me;

    choosing[me] = 1;
    fence();
    number[me] = number[other] + 1;
    fence();
    choosing[me] = 0;
    fence();
    while (choosing[other])
        ;
    for (;;) {
        int theirs = number[other];
        if (theirs == 0 || theirs > number[me] || (theirs == number[me] && other > me))
            break;
    }
}

static void unlock(int me)
{
    fence();
    number[me] = 0;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;

    lock(me);
    owner = me;
    assert(owner == me);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)0);
    pthread_create(&t2, NULL, work, (void *)1);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
