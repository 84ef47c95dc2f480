// A failure at once, and then more executions than anybody can wait for.
#include <pthread.h>
#include <stdatomic.h>

#include <assert.h>
int x, y, z;
static void *work(void *arg) {
    z = 1 + (int)(long)arg;
    assert(z != 2);
    for (int i = 0; i < 8; i++) {
        x = i;
        y = x + i;
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

