// Many threads, each with a loop that waits for the next.
#include <pthread.h>
#include <stdatomic.h>

atomic_int turn;
static void *work(void *arg) {
    for (int i = 0; i < 50; i++) {
        int seen = atomic_load(&turn);
        atomic_compare_exchange_strong(&turn, &seen, (int)(long)arg);
    }
    return 0;
}
int main(void) {
    pthread_t ids[64];
    for (long i = 0; i < 64; i++)
        pthread_create(&ids[i], 0, work, (void *)i);
    for (int i = 0; i < 64; i++)
        pthread_join(ids[i], 0);
    return 0;
}
