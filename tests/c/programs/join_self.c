// expect: all=safe [executions: all=1]
// A thread that joins itself is told so, as by glibc.

#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void)
{
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return 0;
}
