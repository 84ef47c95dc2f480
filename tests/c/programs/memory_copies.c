// expect: all=safe power=safe arm=safe [executions: all=2 power=2 arm=2]
// expect: all=safe power=safe arm=safe [executions: all=2 power=2 arm=2] [options: -- -DCONSTANT]
// expect: all=safe power=safe arm=safe [executions: all=2 power=2 arm=2] [options: -- -DMOVE]
// expect: all=safe power=safe arm=safe [executions: all=2 power=2 arm=2] [options: -- -DFILL]
// expect: all=safe power=safe arm=safe [executions: all=4 power=4 arm=4] [options: -- -DINTS]
// expect: all=safe power=safe arm=safe [executions: all=4 power=4 arm=4] [options: -- -DTEXT]
// A copy through void * is as wide as the addresses and the size allow, whether the size is known or not: a word is
// never torn. A copy through int * goes by int, and one from characters to characters goes byte by byte, so that
// other threads may access the parts by themselves.
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifdef CONSTANT
#define SIZE(n) sizeof(long)
#else
#define SIZE(n) (n)
#endif

#ifdef INTS
typedef int *target;
typedef const int *source;
#elif defined TEXT
typedef char *target;
typedef const char *source;
#else
typedef void *target;
typedef const void *source;
#endif

static void put(target to, source from, size_t n)
{
#ifdef MOVE
    memmove(to, from, SIZE(n));
#elif defined FILL
    memset(to, 1, SIZE(n));
#else
    memcpy(to, from, SIZE(n));
#endif
}

#ifdef INTS
static int shared[2];
static void *work(void *unused)
{
    int mine[2] = { 1, 2 };
    put(shared, mine, sizeof mine);
    return unused;
}
static void look(void)
{
    int a = shared[0], b = shared[1];
    assert((a == 0 || a == 1) && (b == 0 || b == 2));
}
#elif defined TEXT
static char shared[2];
static void *work(void *unused)
{
    char mine[2] = { 'o', 'k' };
    put(shared, mine, sizeof mine);
    return unused;
}
static void look(void)
{
    char a = shared[0], b = shared[1];
    assert((a == 0 || a == 'o') && (b == 0 || b == 'k'));
}
#else
static struct { long before, word; } shared;
static void *work(void *unused)
{
    long mine[1] = { 0x0101010101010101 };
    put(&shared.word, mine, sizeof(long));
    return unused;
}
static void look(void)
{
    long seen;
    memcpy(&seen, &shared.word, sizeof seen);
    assert(seen == 0 || seen == 0x0101010101010101);
}
#endif

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    look();
    pthread_join(t, 0);
    return 0;
}
