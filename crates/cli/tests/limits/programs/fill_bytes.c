// Four threads fill 64 KiB each, byte by byte: long executions, and few of them.
#include <pthread.h>
#include <stdatomic.h>

char cells[4][1 << 16];
int x;
static void *work(void *arg) {
    char *mine = cells[(long)arg];
    x = 1;
    for (int i = 0; i < 1 << 16; i++)
        mine[i] = 1;
    return (void *)(long)x;
}
int main(void) {
    pthread_t ids[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&ids[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], 0);
    return 0;
}
