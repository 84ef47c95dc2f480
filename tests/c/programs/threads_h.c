// expect: all=safe
// expect: all=safe [options: --check races]
// C11 threads: results, mutexes, conditions, call_once, thread-specific storage.

#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t slot;
static int runs, ready;
static thread_local int own = 1;

static void once(void)
{
    runs++;
}

static int waiter(void *arg)
{
    call_once(&flag, once);
    tss_set(slot, arg);
    own += *(int *)arg;
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    return own + *(int *)tss_get(slot);
}

int main(void)
{
    thrd_t thread;
    int argument = 4, result;

    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(cnd_init(&condition) == thrd_success);
    assert(tss_create(&slot, NULL) == thrd_success);
    assert(thrd_create(&thread, waiter, &argument) == thrd_success);
    call_once(&flag, once);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    assert(thrd_join(thread, &result) == thrd_success);
    assert(result == 9 && runs == 1 && own == 1);
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    return 0;
}
