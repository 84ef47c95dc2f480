// An assertion that fails after a million steps, each of them another call.
#include <assert.h>
#include <pthread.h>

int x;

static unsigned next(unsigned n) { return n * 1103515245 + 12345; }

static void *work(void *arg)
{
    unsigned n = 1 + (unsigned)(long)arg;
    for (int i = 0; i < 200000; i++)
        n = next(n);
    x++;
    return (void *)(long)(n & 1);
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
