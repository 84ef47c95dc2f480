// Counters that multiply: more states than fit into memory, and loops that never end.
#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b, c, d;
static void *work(void *arg) {
    for (;;) {
        atomic_fetch_add(&a, 1);
        atomic_fetch_add(&b, 3);
        c = a;
        d = b;
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

