// expect: all=safe [executions: all=1]
// What C's arithmetic says, at widths and signs where translations go wrong.

#include <assert.h>
#include <limits.h>
#include <stdint.h>

static volatile int8_t minus_one = -1;
static volatile uint8_t high = 200;
static volatile int seven = 7, minus_seven = -7, two = 2;
static volatile uint32_t big = 0x80000001u;
static volatile int64_t wide = INT64_C(-5000000000);
static volatile double half = 0.5;
static volatile float third = 1.0f / 3.0f;

int main(void)
{
    assert(minus_one < 0 && (uint8_t)minus_one == 255 && (uint32_t)minus_one == UINT32_MAX);
    assert((int8_t)high == -56 && high + 100 == 300 && (uint8_t)(high + 100) == 44);
    assert(minus_seven / two == -3 && minus_seven % two == -1 && minus_seven >> 1 == -4);
    assert(big >> 31 == 1 && (int32_t)big < 0 && big * two == 2);
    assert((uint64_t)big << 4 == 0x800000010ull);
    assert(wide / seven == -714285714 && (int32_t)wide == -705032704 && (uint32_t)wide == 3589934592u);
    assert((seven & 5) == 5 && (seven | 8) == 15 && (seven ^ 2) == 5 && ~seven == -8);
    assert(half * 4 == 2.0 && (int)(half * 7) == 3 && (int)(minus_seven * half) == -3);
    assert(third * 3 > 0.99f && third * 3 < 1.01f && (float)half == 0.5f);
    assert((unsigned __int128)UINT64_MAX * two >> 64 == 1);
    assert(__builtin_popcount(big) == 2 && __builtin_ctz(8u * (unsigned)two) == 4 && __builtin_clz(1) == 31);
    int sum;
    assert(__builtin_add_overflow(INT_MAX, seven, &sum) && sum == INT_MIN + 6);
    assert(!__builtin_mul_overflow(seven, two, &sum) && sum == 14);
    assert((seven > two ? minus_seven : two) == -7 && !(seven == two) && (seven && !0));
    return 0;
}
