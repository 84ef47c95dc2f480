// expect: all=violation(deadlock)
// Two threads that wait for each other's end.

#include <pthread.h>

static pthread_t main_thread;

static void *work(void *arg)
{
    pthread_join(main_thread, NULL);
    return arg;
}

int main(void)
{
    pthread_t thread;

    main_thread = pthread_self();
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
