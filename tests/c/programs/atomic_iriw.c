// expect: all=safe [executions: all=15] [small]
// Independent reads of independent writes: two readers agree on the order. Each of four reads sees one of two
// values, and one of the sixteen outcomes is forbidden.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b, c, d;

static void *write_x(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    return arg;
}

static void *write_y(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    return arg;
}

static void *read_xy(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_acquire);
    b = atomic_load_explicit(&y, memory_order_acquire);
    return arg;
}

static void *read_yx(void *arg)
{
    c = atomic_load_explicit(&y, memory_order_acquire);
    d = atomic_load_explicit(&x, memory_order_acquire);
    return arg;
}

int main(void)
{
    void *(*const functions[])(void *) = {write_x, write_y, read_xy, read_yx};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    return 0;
}
