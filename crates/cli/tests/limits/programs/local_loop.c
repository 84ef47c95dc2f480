// Two threads with a long loop of local steps and one store each.
#include <pthread.h>
#include <stdatomic.h>

int x;
static void *work(void *arg) {
    volatile int me = (int)(long)arg;
    unsigned sum = 0;
    for (unsigned i = 0; i < 1500000; i++)
        sum = sum * 3 + i + me;
    x = sum;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

