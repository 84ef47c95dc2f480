// The classic with two additions by each thread.
// executions: sc 19, tso 20, pso 20
#include <pthread.h>

static int i = 1, j = 1;

static void *t1(void *arg) {
    for (int k = 0; k < 2; k++) i += j;
    return arg;
}
static void *t2(void *arg) {
    for (int k = 0; k < 2; k++) j += i;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
