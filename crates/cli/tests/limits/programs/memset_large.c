// A hundred megabytes are allocated and filled.
#include <pthread.h>
#include <stdatomic.h>

#include <stdlib.h>
#include <string.h>
static void *work(void *arg) {
    char *bytes = malloc(100u << 20);
    memset(bytes, 1 + (int)(long)arg, 100u << 20);
    return bytes;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

