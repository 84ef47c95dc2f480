// expect: all=safe [executions: all=1] [small]
// expect: all=safe [options: --check races]
// Two threads take turns by two semaphores: there is only one way.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *left(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&ping);
        assert(ball == 2 * i);
        ball++;
        sem_post(&pong);
    }
    return arg;
}

static void *right(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&pong);
        assert(ball == 2 * i + 1);
        ball++;
        sem_post(&ping);
    }
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
