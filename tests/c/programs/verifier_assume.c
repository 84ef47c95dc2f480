// expect: all=safe [executions: all=1] [blocked: all=1]
// expect: all=violation(assertion) [options: -- -DUNSAFE]
// Of a thread that assumes to have seen the flag only the run in which it has counts.

#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

volatile int data = 0, flag = 0;

void *sender(void *arg)
{
#ifdef UNSAFE
    flag = 1;
    data = 1;
#else
    data = 1;
    __sync_synchronize();
    flag = 1;
#endif
    return arg;
}

void *receiver(void *arg)
{
    __VERIFIER_assume(flag);
    assert(data);
    return arg;
}

int main()
{
    pthread_t t1, t2;

    pthread_create(&t1, 0, sender, 0);
    pthread_create(&t2, 0, receiver, 0);
    return 0;
}
