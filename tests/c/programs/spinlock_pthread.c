// expect: all=safe [executions: all=2] [small]
// expect: all=safe [options: --check races]
// pthread_spin_lock.

#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *arg)
{
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
