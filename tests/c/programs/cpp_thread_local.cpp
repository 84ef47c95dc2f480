// expect: all=violation(memory) power=violation(memory) arm=violation(memory)
// expect: all=safe power=safe arm=safe [options: -- -DEARLY]
// A thread's copy of a thread_local object ends with the thread.

#include <atomic>
#include <thread>

thread_local int mine = 5;
std::atomic<int *> given;
std::atomic<bool> done;

static void work()
{
    given = &mine;
#ifdef EARLY
    while (!done)
        ;
#endif
}

int main()
{
    std::thread thread(work);
#ifdef EARLY
    int *p;
    while (!(p = given))
        ;
    *p = 1;
    done = true;
    thread.join();
#else
    thread.join();
    *given = 1;
#endif
}
