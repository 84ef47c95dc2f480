// expect: all=safe
// A barrier with a sense that turns over each round.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS 2
#define ROUNDS 2

static atomic_int missing = THREADS;
static atomic_bool sense;
static int cells[THREADS];

static void wait_all(bool *mine)
{
    *mine = !*mine;
    if (atomic_fetch_sub(&missing, 1) == 1) {
        atomic_store(&missing, THREADS);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine)
            ;
    }
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    bool mine = false;

    for (int round = 1; round <= ROUNDS; round++) {
        cells[me] = round;
        wait_all(&mine);
        assert(cells[1 - me] == round);
        wait_all(&mine);
    }
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
