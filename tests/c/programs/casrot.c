// expect: all=safe [options: -- -DN=3] [small]
// expect: all=safe [options: -- -DN=5]
// Thread i turns i into i+1, if it comes after the one that made i.

#include <assert.h>
#include <pthread.h>

static int x = 0;

static void *rotate(void *arg)
{
    int i = (int)(long)arg;

    __sync_bool_compare_and_swap(&x, i, i + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, rotate, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(x >= 1 && x <= N);
    return 0;
}
