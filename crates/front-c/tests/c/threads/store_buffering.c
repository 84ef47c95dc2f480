// executions: sc 3, tso 4 fails, pso 4 fails
#include <assert.h>
#include <pthread.h>

volatile int x, y;
int a, b;

static void *left(void *unused) {
    x = 1;
    a = y;
    return unused;
}
static void *right(void *unused) {
    y = 1;
    b = x;
    return unused;
}

int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    assert(a || b);
    return 0;
}
