// executions: sc 6, tso 6, pso 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(count == 3);
    return 0;
}
