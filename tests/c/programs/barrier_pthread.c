// expect: all=safe
// expect: all=violation(deadlock) [options: -- -DPARTIES=3]
// expect: all=safe [options: --check races]
// What is written before a barrier is read after it.

#include <assert.h>
#include <pthread.h>

#ifndef PARTIES
#define PARTIES 2
#endif

static pthread_barrier_t barrier;
static int cells[2];
static int serial;

static void *work(void *arg)
{
    int me = (int)(long)arg;

    cells[me] = me + 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        __sync_fetch_and_add(&serial, 1);
    assert(cells[1 - me] == 2 - me);
    pthread_barrier_wait(&barrier);
    cells[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_barrier_init(&barrier, NULL, PARTIES);
    pthread_create(&t1, NULL, work, (void *)0);
    pthread_create(&t2, NULL, work, (void *)1);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_barrier_destroy(&barrier);
    assert(serial == 1);
    return 0;
}
