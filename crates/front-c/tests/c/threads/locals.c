// Locals, arguments by value and results are no business of other threads.
// executions: sc 2, tso 2, pso 2
#include <pthread.h>
#include <stdint.h>

struct work { int from, to; };
static _Atomic int total;

static int sum(struct work w) {
    int values[8], s = 0;
    for (int i = 0; i < 8; i++) values[i] = i;
    for (int i = w.from; i < w.to; i++) s += values[i];
    return s;
}
static void *worker(void *arg) {
    struct work w = {(int)(intptr_t)arg, 8};
    int local = sum(w);
    total += local;
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
