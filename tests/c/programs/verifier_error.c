// expect: all=violation(assertion)
// __VERIFIER_error, and main with an old-style head.

#include <pthread.h>

extern void __VERIFIER_error() __attribute__((__noreturn__));

int x, y;

void *first()
{
    x = 1;
    if (y == 0)
        __VERIFIER_error();
    return 0;
}

int main()
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    y = 1;
    if (x == 2)
        __VERIFIER_error();
    pthread_join(t, 0);
}
