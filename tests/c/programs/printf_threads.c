// expect: all=safe [executions: all=1] [small]
// Output is no event: what threads print does not order them.

#include <pthread.h>
#include <stdio.h>

static void *work(void *arg)
{
    int n = (int)(long)arg;

    printf("thread %d starts\n", n);
    fprintf(stderr, "thread %d ends\n", n);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;

    pthread_create(&t1, NULL, work, (void *)1);
    pthread_create(&t2, NULL, work, (void *)2);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    puts("done");
    return 0;
}
