// expect: all=violation(assertion)
// Two stores and a look in between; many setters make the fault rare for testers.

#include <assert.h>
#include <pthread.h>

#define SETTERS 2

static int a, b;

static void *set(void *arg)
{
    a = 1;
    b = -1;
    return arg;
}

static void *check(void *arg)
{
    int seen_a = a, seen_b = b;

    assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1));
    return arg;
}

int main(void)
{
    pthread_t setters[SETTERS], checker;

    for (int i = 0; i < SETTERS; i++)
        pthread_create(&setters[i], NULL, set, NULL);
    pthread_create(&checker, NULL, check, NULL);
    for (int i = 0; i < SETTERS; i++)
        pthread_join(setters[i], NULL);
    pthread_join(checker, NULL);
    return 0;
}
