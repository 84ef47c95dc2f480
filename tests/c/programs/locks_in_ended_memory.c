// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DUNLOCK]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DLOCK]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DTRY]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DHELD]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DWAIT]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DWAIT_MUTEX]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DSIGNAL]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DPOST]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DBARRIER]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DSPIN]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DRWLOCK]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DLOCAL]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DNOTHING]
// expect: all=violation(lock-misuse) power=violation(lock-misuse) arm=violation(lock-misuse) [options: -- -DDESTROYED]
// Locks and their kin in memory that has ended: the memory is what is wrong, not who holds the lock.

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t *lock;
static pthread_cond_t *cond;

static void *work(void *arg)
{
    return arg;
}

static void local(void)
{
    pthread_mutex_t here;
    lock = &here;
    pthread_mutex_init(lock, NULL);
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

    pthread_create(&thread, NULL, work, NULL);
    lock = malloc(sizeof *lock);
    cond = malloc(sizeof *cond);
    pthread_mutex_init(lock, NULL);
    pthread_cond_init(cond, NULL);
#if defined UNLOCK
    free(lock);
    pthread_mutex_unlock(lock);
#elif defined LOCK
    free(lock);
    pthread_mutex_lock(lock);
#elif defined TRY
    free(lock);
    pthread_mutex_trylock(lock);
#elif defined HELD
    pthread_mutex_lock(lock);
    free(lock);
    pthread_mutex_unlock(lock);
#elif defined WAIT
    pthread_mutex_lock(lock);
    free(cond);
    pthread_cond_wait(cond, lock);
#elif defined WAIT_MUTEX
    pthread_mutex_lock(lock);
    free(lock);
    pthread_cond_wait(cond, lock);
#elif defined SIGNAL
    free(cond);
    pthread_cond_signal(cond);
#elif defined POST
    sem_t *sem = malloc(sizeof *sem);
    sem_init(sem, 0, 0);
    free(sem);
    sem_post(sem);
#elif defined BARRIER
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 1);
    free(barrier);
    pthread_barrier_wait(barrier);
#elif defined SPIN
    pthread_spinlock_t *spin = malloc(sizeof *spin);
    pthread_spin_init(spin, 0);
    free((void *)spin);
    pthread_spin_unlock(spin);
#elif defined RWLOCK
    pthread_rwlock_t *rw = malloc(sizeof *rw);
    pthread_rwlock_init(rw, NULL);
    pthread_rwlock_rdlock(rw);
    free(rw);
    pthread_rwlock_unlock(rw);
#elif defined LOCAL
    local();
    pthread_mutex_unlock(lock);
#elif defined NOTHING
    lock = NULL;
    pthread_mutex_unlock(lock);
#elif defined DESTROYED
    pthread_mutex_destroy(&other);
    pthread_mutex_unlock(&other);
#endif
    pthread_join(thread, NULL);
    return 0;
}
