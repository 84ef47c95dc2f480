// expect: all=safe
// A small pool: jobs are function pointers with arguments in a list, workers wait on a condition variable.

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define WORKERS 2

struct job {
    void (*run)(int *, int);
    int argument;
    struct job *next;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct job *jobs;
    bool closed;
} pool;

static int total;

static void add(int *to, int n)
{
    __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static void submit(int argument)
{
    struct job *job = malloc(sizeof *job);

    pthread_mutex_lock(&pool.mutex);
    *job = (struct job){add, argument, pool.jobs};
    pool.jobs = job;
    pthread_cond_signal(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
}

static struct job *take(void)
{
    pthread_mutex_lock(&pool.mutex);
    while (pool.jobs == NULL && !pool.closed)
        pthread_cond_wait(&pool.changed, &pool.mutex);
    struct job *job = pool.jobs;
    if (job)
        pool.jobs = job->next;
    pthread_mutex_unlock(&pool.mutex);
    return job;
}

static void *worker(void *arg)
{
    struct job *job;

    while ((job = take()) != NULL) {
        job->run(arg, job->argument);
        free(job);
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];

    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.changed, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &total);
    submit(1);
    submit(2);
    pthread_mutex_lock(&pool.mutex);
    pool.closed = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(total == 3 && pool.jobs == NULL);
    pthread_cond_destroy(&pool.changed);
    pthread_mutex_destroy(&pool.mutex);
    return 0;
}
