// Objects without end.
#include <pthread.h>
#include <stdatomic.h>

#include <stdlib.h>
static void *work(void *arg) {
    for (;;) {
        int *p = calloc(1 << 16, sizeof *p);
        p[5] = 1;
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

