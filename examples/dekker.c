// expect: sc=safe tso=violation(assertion) pso=violation(assertion)
// expect: sc=safe tso=safe pso=violation(assertion) [options: -- -DFENCE]
//
// Dekker's algorithm: two threads exclude each other with nothing but loads and stores.
//
//   raddle check examples/dekker.c --model sc                  safe
//   raddle check examples/dekker.c --model tso                 both threads get in
//   raddle check examples/dekker.c --model tso -- -DFENCE      safe again
//
// It was proved correct sixty years ago, for machines where a store is seen by everybody at once. On x86 (TSO) a store
// goes into a buffer first, and the loads that follow it do not wait. So each thread can raise its flag, look at the
// other's flag before its own has left the buffer, find it down, and walk in.

#include <assert.h>
#include <pthread.h>

#ifdef FENCE
// Waits until the store buffer is empty.
#define fence() __asm__ volatile("mfence" ::: "memory")
#else
#define fence() ((void)0)
#endif

static volatile int wants[2]; // who wants to enter
static volatile int turn;     // who insists if both do
static volatile int owner;    // who is inside

static void raise_flag(int me)
{
    wants[me] = 1;
    fence();
}

static void lock(int me)
{
    int other = 1 - me;

    raise_flag(me);
    while (wants[other]) {
        if (turn == me)
            continue;
        // Step back, wait for the turn, try again.
        wants[me] = 0;
        while (turn != me)
            ;
        raise_flag(me);
    }
}

static void unlock(int me)
{
    turn = 1 - me;
    wants[me] = 0;
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
    pthread_t threads[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
