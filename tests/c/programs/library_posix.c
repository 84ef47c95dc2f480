// expect: all=bounded [executions: all=1]
// What the functions of pthread.h, semaphore.h and threads.h return when nobody else is there; true of glibc.

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec past = {1, 0};

static void mutexes(void)
{
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, normal, checking;
    pthread_mutexattr_t attributes;
    int kind;

    assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_trylock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &kind) == 0 && kind == PTHREAD_MUTEX_ERRORCHECK);
    assert(pthread_mutexattr_settype(&attributes, 77) == EINVAL);
    assert(pthread_mutex_init(&checking, &attributes) == 0 && pthread_mutexattr_destroy(&attributes) == 0);
    assert(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
    assert(pthread_mutex_destroy(&checking) == 0);
    assert(pthread_mutex_init(&normal, NULL) == 0 && pthread_mutex_lock(&normal) == 0);
    assert(pthread_mutex_trylock(&normal) == EBUSY && pthread_mutex_timedlock(&normal, &past) == ETIMEDOUT);
    assert(pthread_mutex_unlock(&normal) == 0 && pthread_mutex_timedlock(&normal, &past) == 0);
    assert(pthread_mutex_unlock(&normal) == 0 && pthread_mutex_destroy(&normal) == 0);
}

static void conditions(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    pthread_condattr_t attributes;

    assert(pthread_condattr_init(&attributes) == 0);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    assert(pthread_cond_init(&condition, &attributes) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_cond_signal(&condition) == 0 && pthread_cond_broadcast(&condition) == 0);
    assert(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
    assert(pthread_mutex_unlock(&mutex) == 0 && pthread_cond_destroy(&condition) == 0);
}

static void others(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    sem_t semaphore;
    int value;

    assert(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0);

    assert(pthread_spin_init(&spin, 0) == 0 && pthread_spin_lock(&spin) == 0);
    assert(pthread_spin_trylock(&spin) == EBUSY && pthread_spin_unlock(&spin) == 0);
    assert(pthread_spin_destroy(&spin) == 0);

    assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL && pthread_barrier_init(&barrier, NULL, 1) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_destroy(&barrier) == 0);

    assert(sem_init(&semaphore, 0, 1) == 0 && sem_wait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_post(&semaphore) == 0 && sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_destroy(&semaphore) == 0);
}

static int calls;

static void count(void)
{
    calls++;
}

static void keys(void)
{
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_key_t first, second;
    pthread_attr_t attributes;
    int state;

    assert(pthread_once(&once, count) == 0 && pthread_once(&once, count) == 0 && calls == 1);
    assert(pthread_key_create(&first, NULL) == 0 && pthread_key_create(&second, free) == 0);
    assert(!pthread_getspecific(first) && pthread_setspecific(first, &calls) == 0);
    assert(pthread_getspecific(first) == &calls && !pthread_getspecific(second));
    assert(pthread_key_delete(first) == 0 && pthread_key_delete(first) == EINVAL);
    assert(pthread_setspecific(first, &calls) == EINVAL && pthread_setspecific(1000000, NULL) == EINVAL);
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_destroy(&attributes) == 0);
}

static int seven(void *arg)
{
    return arg ? 7 : -7;
}

static void c11(void)
{
    thrd_t thread;
    mtx_t mutex;
    cnd_t condition;
    tss_t key;
    once_flag once = ONCE_FLAG_INIT;
    int result;

    assert(thrd_create(&thread, seven, NULL) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success && result == -7);
    assert(mtx_init(&mutex, mtx_timed) == thrd_success && mtx_lock(&mutex) == thrd_success);
    assert(mtx_trylock(&mutex) == thrd_busy && mtx_timedlock(&mutex, &past) == thrd_timedout);
    assert(cnd_init(&condition) == thrd_success && cnd_signal(&condition) == thrd_success);
    assert(cnd_timedwait(&condition, &mutex, &past) == thrd_timedout);
    assert(mtx_unlock(&mutex) == thrd_success);
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    assert(tss_create(&key, NULL) == thrd_success && tss_set(key, &once) == thrd_success);
    assert(tss_get(key) == &once);
    tss_delete(key);
    call_once(&once, count);
    call_once(&once, count);
    assert(calls == 2 && thrd_equal(thrd_current(), thrd_current()));
}

static void surroundings(void)
{
    struct timespec before, after;
    int drawn;

    assert(getpid() > 0 && sysconf(_SC_PAGESIZE) == 4096 && !getenv("NO_SUCH_VARIABLE"));
    clock_gettime(CLOCK_MONOTONIC, &before);
    usleep(1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec > before.tv_sec || (after.tv_sec == before.tv_sec && after.tv_nsec > before.tv_nsec));
    srand(3);
    drawn = rand();
    srand(3);
    assert(rand() == drawn && drawn >= 0);
    errno = 5;
    assert(errno == 5);
}

int main(void)
{
    mutexes();
    conditions();
    others();
    keys();
    c11();
    surroundings();
    return 0;
}
