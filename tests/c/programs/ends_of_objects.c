// expect: all=violation(memory) power=violation(memory) arm=violation(memory)
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DDEEP]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DTHREAD_LOCAL]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DTHREAD_LOCAL -DEXIT]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DTHREAD_LOCAL -DWRITE]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DTHRD]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DOF_MAIN]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DOF_MAIN -DTHREAD_LOCAL]
// expect: all=violation(memory) power=violation(memory) arm=violation(memory) [options: -- -DOF_MAIN -DRETURN]
// expect: all=safe power=safe arm=safe [options: -- -DOF_MAIN -DEXIT_PROGRAM]
// expect: all=safe power=safe arm=safe [options: -- -DEARLY]
// expect: all=safe power=safe arm=safe [options: -- -DEARLY -DTHREAD_LOCAL]
// expect: all=safe power=safe arm=safe [options: -- -DEARLY -DDEEP]
// expect: all=safe power=safe arm=safe [options: -- -DHEAP]
// expect: all=safe power=safe arm=safe [options: -- -DOWN]
// expect: all=safe [options: -- -DHEAP] [small]
// expect: all=safe [options: -- -DEARLY -DTHREAD_LOCAL] [small]
// Objects that end with a thread: its locals, however it leaves its functions, and its copies of thread-local ones.

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

static _Atomic(int *) given;
static _Atomic int done;
static _Thread_local int mine = 5;

static void leave(void)
{
#if defined THRD
    thrd_exit(0);
#elif defined EXIT_PROGRAM
    exit(0);
#else
    pthread_exit(NULL);
#endif
}

static void give(int *local, int depth)
{
    int here = 2;

    if (depth > 0) {
        give(&here, depth - 1);
        here++;
        return;
    }
    given = local;
#ifdef EARLY
    while (!done)
        ;
#endif
    leave();
}

static void *work(void *arg)
{
    int local = 1;
    static int heap_value;
#if defined THREAD_LOCAL
    given = &mine;
#ifdef EARLY
    while (!done)
        ;
#endif
#ifdef EXIT
    pthread_exit(NULL);
#endif
    return NULL;
#elif defined HEAP
    int *heap = malloc(sizeof *heap);
    *heap = 1;
    given = heap;
    pthread_exit(NULL);
#elif defined OWN
    int *own = &mine;
    *own = local;
    given = &heap_value;
    pthread_exit(NULL);
#elif defined DEEP
    give(&local, 2);
#else
    give(&local, 0);
#endif
    return NULL;
}

static void *reader(void *arg)
{
    int *p = given;

    if (p)
        (*p)++;
    return NULL;
}

int main(void)
{
    pthread_t thread;

#ifdef OF_MAIN
    int local = 1;
    pthread_create(&thread, NULL, reader, NULL);
#ifdef THREAD_LOCAL
    given = &mine;
#else
    given = &local;
#endif
#ifdef RETURN
    return 0;
#else
    leave();
#endif
#else
    pthread_create(&thread, NULL, work, NULL);
#ifdef EARLY
    int *p;
    while (!(p = given))
        ;
    (*p)++;
    done = 1;
    pthread_join(thread, NULL);
#else
    pthread_join(thread, NULL);
#ifdef WRITE
    *given = 1;
#else
    return *given - *given;
#endif
#endif
#endif
    return 0;
}
