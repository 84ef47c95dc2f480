// expect: all=violation(assertion)
// expect: all=safe [options: -- -DAPART] [executions: all=1]
// expect: all=violation(race) [options: --check races]
// Neighbouring bit-fields share a word, and one thread's update undoes the other's.

#include <assert.h>
#include <pthread.h>

static struct {
    unsigned left : 4;
#ifdef APART
    unsigned : 0;
#endif
    unsigned right : 4;
} shared;

static void *set_left(void *arg)
{
    shared.left = 1;
    return arg;
}

static void *set_right(void *arg)
{
    shared.right = 1;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, set_left, NULL);
    pthread_create(&t2, NULL, set_right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(shared.left == 1 && shared.right == 1);
    return 0;
}
