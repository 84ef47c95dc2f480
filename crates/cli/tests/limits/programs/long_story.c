// A failure after tens of thousands of events: its story takes more memory than the search.
#include <assert.h>
#include <pthread.h>

int n, m;
static void *work(void *arg) {
    for (int i = 0; i < 45000; i++) {
        n = i;
        m++;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 1);
    return 0;
}
