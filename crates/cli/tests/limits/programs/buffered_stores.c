// A hundred thousand stores in a row, none of which conflicts with another thread's.
#include <pthread.h>
#include <stdatomic.h>

int cells[2][100001];
static void *work(void *arg) {
    int *mine = cells[(long)arg];
    for (int i = 0; i <= 100000; i++)
        mine[i] = i;
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

