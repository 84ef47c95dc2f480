// Two threads with thousands of events each that all conflict.
#include <pthread.h>
#include <stdatomic.h>

int x, y;
static void *work(void *arg) {
    for (int i = 0; i < 20000; i++) {
        x = i;
        y += x;
    }
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

