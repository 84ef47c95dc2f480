// expect: all=safe power=safe arm=safe [executions: all=2 power=2 arm=2]
// An atomic structure of 24 bytes goes under a lock of the library, and word by word: nothing is torn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct large { long a, b, c; };
static _Atomic struct large shared;

static void *work(void *unused)
{
    struct large mine = { 1, 2, 3 };
    atomic_store(&shared, mine);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    struct large seen = atomic_load(&shared);
    assert((seen.a == 0 && seen.b == 0 && seen.c == 0) || (seen.a == 1 && seen.b == 2 && seen.c == 3));
    pthread_join(t, 0);
    return 0;
}
