// expect: all=safe
// expect: all=violation(assertion) [options: -- -DUNGUARDED]
// expect: all=violation(abort) [options: -- -DUNJOINED]
// std::thread, std::mutex and std::condition_variable: a queue of one place.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Slot {
    std::mutex mutex;
    std::condition_variable changed;
    bool full = false;
    int value = 0;

  public:
    void put(int given)
    {
        std::unique_lock<std::mutex> lock(mutex);
#ifndef UNGUARDED
        changed.wait(lock, [this] { return !full; });
#endif
        value = given;
        full = true;
        changed.notify_all();
    }

    int take()
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return full; });
        full = false;
        changed.notify_all();
        return value;
    }
};

int main()
{
    Slot slot;
    int sum = 0;
    std::thread producer([&slot] {
        slot.put(1);
        slot.put(2);
    });
    std::thread consumer([&slot, &sum] {
        sum += slot.take();
#ifdef UNGUARDED
        assert(sum == 1);
#else
        sum += slot.take();
        assert(sum == 3);
#endif
    });
#ifndef UNJOINED
    producer.join();
    consumer.join();
#endif
}
