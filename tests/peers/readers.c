// One thread writes a variable, N threads read it and write one of their own: 2^N outcomes.

#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int seen[N];

static void *reader(void *mine)
{
    atomic_store_explicit((atomic_int *)mine, atomic_load_explicit(&x, memory_order_relaxed), memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, reader, &seen[i]);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
