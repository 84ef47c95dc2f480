// expect: all=safe [options: -- -std=c++17]
// expect: all=violation(memory) [options: -- -std=c++17 -DTWICE]
// Objects with an alignment of their own, made by new.

#include <cassert>
#include <cstdint>
#include <new>

struct alignas(64) Line {
    int n = 3;
};

int main()
{
    Line *one = new Line;
    Line *many = new Line[2];
    int *plain = new (std::nothrow) int(4);

    assert(reinterpret_cast<std::uintptr_t>(one) % 64 == 0);
    assert(one->n == 3 && many[1].n == 3 && *plain == 4);
    delete one;
    delete[] many;
    delete plain;
#ifdef TWICE
    delete one;
#endif
}
