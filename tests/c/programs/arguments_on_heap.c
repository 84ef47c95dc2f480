// expect: all=safe [executions: all=2]
// expect: all=safe [options: --check races]
// Threads get structures from malloc and give them back.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    pthread_t thread;
    pthread_mutex_t *mutex;
    long *total;
    int amount;
    struct {
        int before, after;
    } seen;
};

static void *run(void *arg)
{
    struct task *task = arg;

    pthread_mutex_lock(task->mutex);
    task->seen.before = (int)*task->total;
    *task->total += task->amount;
    task->seen.after = (int)*task->total;
    pthread_mutex_unlock(task->mutex);
    return task;
}

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long total = 0;
    struct task *tasks = calloc(2, sizeof *tasks);

    for (int i = 0; i < 2; i++) {
        tasks[i].mutex = &mutex;
        tasks[i].total = &total;
        tasks[i].amount = i + 1;
        if (pthread_create(&tasks[i].thread, NULL, run, &tasks[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(tasks[i].thread, &result);
        struct task *task = result;
        assert(task == &tasks[i] && task->seen.after - task->seen.before == i + 1);
    }
    assert(total == 3);
    free(tasks);
    pthread_mutex_destroy(&mutex);
    return 0;
}
