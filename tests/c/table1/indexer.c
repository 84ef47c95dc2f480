// Threads put their messages into a hash table with compare and swap. Up to eleven threads never meet; from twelve
// on some do, and the loser of a slot takes the next one.

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 12
#endif
#ifndef SIZE
#define SIZE 128
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif

static int table[SIZE];

static void insert(int message)
{
    int slot = message * 7 % SIZE;

    while (!__sync_bool_compare_and_swap(&table[slot], 0, message))
        slot = (slot + 1) % SIZE;
}

static void *work(void *arg)
{
    int me = (int)(long)arg;

    for (int n = 1; n <= MESSAGES; n++)
        insert(n * 11 + me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int used = 0;

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int slot = 0; slot < SIZE; slot++)
        used += table[slot] != 0;
    assert(used == THREADS * MESSAGES);
    return 0;
}
