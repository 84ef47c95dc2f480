// More executions than anybody can wait for.
#include <pthread.h>
#include <stdatomic.h>

int x, y;
static void *work(void *arg) {
    for (int i = 0; i < 6; i++) {
        x = i;
        y = x + i;
    }
    return 0;
}
int main(void) {
    pthread_t ids[5];
    for (long i = 0; i < 5; i++)
        pthread_create(&ids[i], 0, work, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(ids[i], 0);
    return 0;
}
