// expect: all=violation(deadlock)
// A thread spins on a flag that nobody sets: it waits as surely as on a lock.

#include <pthread.h>

static volatile int flag;

static void *spin(void *arg)
{
    while (!flag)
        ;
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, spin, NULL);
    pthread_join(thread, NULL);
    return 0;
}
