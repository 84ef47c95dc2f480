// expect: all=violation(memory)
// expect: all=safe [options: -- -DJOIN]
// A thread is given the address of a local variable whose function does not wait for it.

#include <pthread.h>

static pthread_t thread;

static void *work(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

static void start(void)
{
    int local = 0;

    pthread_create(&thread, NULL, work, &local);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
}

int main(void)
{
    start();
#ifndef JOIN
    pthread_join(thread, NULL);
#endif
    return 0;
}
