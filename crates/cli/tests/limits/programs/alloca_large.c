// A large object in a frame, in a loop.
#include <pthread.h>
#include <stdatomic.h>

static void *fill(unsigned n) {
    char bytes[n];
    for (unsigned i = 0; i < n; i += 4096)
        bytes[i] = 1;
    return (void *)(long)bytes[0];
}
static void *work(void *arg) {
    for (unsigned n = 1 << 20; n; n += 1 << 20)
        fill(n);
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

