// Loops that never end and never touch memory.
#include <pthread.h>
#include <stdatomic.h>

int x;
static void *work(void *arg) {
    unsigned long n = (unsigned long)arg;
    for (;;) {
        n = n * 6364136223846793005ul + 1;
        if (n == 42)
            x = 1;
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

