// expect: all=violation(race) [options: --check races -- -DRELEASE=relaxed -DACQUIRE=acquire]
// expect: all=violation(race) [options: --check races -- -DRELEASE=release -DACQUIRE=relaxed]
// expect: all=safe [options: --check races -- -DRELEASE=release -DACQUIRE=acquire] [executions: all=2] [small]
// expect: all=safe [options: --check races -- -DRELEASE=seq_cst -DACQUIRE=seq_cst] [executions: all=2] [small]
// expect: all=safe [options: --check races -- -DRELEASE=relaxed -DACQUIRE=relaxed -DFENCES] [executions: all=2] [small]
// expect: all=violation(race) [options: --check races -- -DRELEASE=relaxed -DACQUIRE=relaxed -DONE_FENCE]
// A plain variable, published by an atomic flag. The reader sees the flag or does not: two traces, if it looks at the
// variable only then.

#include <pthread.h>
#include <stdatomic.h>

#define ORDER(name) ORDER_(name)
#define ORDER_(name) memory_order_##name

static int data;
static atomic_int flag;

static void *publish(void *arg)
{
    data = 42;
#if defined FENCES || defined ONE_FENCE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, ORDER(RELEASE));
    return arg;
}

static void *use(void *arg)
{
    if (atomic_load_explicit(&flag, ORDER(ACQUIRE))) {
#ifdef FENCES
        atomic_thread_fence(memory_order_acquire);
#endif
        return (void *)(long)data;
    }
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, publish, NULL);
    pthread_create(&t2, NULL, use, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
