// Two threads that wait for what never comes, and count: each turn is another state.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
static void *work(void *arg) {
    long turns = 0;
    while (!atomic_load(&flag))
        turns++;
    return (void *)turns;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

