// A stack under a mutex; one thread pushes, the other pops.
//
//   -DUNSAFE  the popping thread takes "something was pushed once" for "something is there now"

#include <assert.h>
#include <pthread.h>

#define SIZE 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int items[SIZE];
static int top;
static int pushed_once;

static void push(int item)
{
    assert(top < SIZE);
    items[top++] = item;
}

static int pop(void)
{
    assert(top > 0);
    return items[--top];
}

static int may_pop(void)
{
#ifdef UNSAFE
    return pushed_once;
#else
    return top > 0;
#endif
}

static void *pusher(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        push(i + 1);
        pushed_once = 1;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void *popper(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        if (may_pop())
            assert(pop() > 0);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, pusher, NULL);
    pthread_create(&second, NULL, popper, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
