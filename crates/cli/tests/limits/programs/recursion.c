// Calls without end.
#include <pthread.h>
#include <stdatomic.h>

int x;
static long deep(long n) { return deep(n + 1) + x; }
static void *work(void *arg) { return (void *)deep((long)arg); }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

