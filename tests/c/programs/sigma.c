// expect: all=violation(assertion)
// expect: all=safe [options: -- -DBY_VALUE]
// A loop variable handed to threads by reference has moved on when they look.

#include <assert.h>
#include <pthread.h>

#define SIGMA 3

static int array[SIGMA];
static int index_of_next;

static void *work(void *arg)
{
#ifdef BY_VALUE
    array[(long)arg] = 1;
#else
    (void)arg;
    array[index_of_next] = 1;
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[SIGMA];
    int sum = 0;

    for (int i = 0; i < SIGMA; i++) {
        index_of_next = i;
        pthread_create(&threads[i], NULL, work, (void *)(long)i);
    }
    for (int i = 0; i < SIGMA; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SIGMA; i++)
        sum += array[i];
    assert(sum == SIGMA);
    return 0;
}
