// Integers of every width: wrapping, signs, shifts, division, conversions.
#include <assert.h>
#include <stdint.h>

static int8_t i8(int x) { return (int8_t)x; }
static uint8_t u8(unsigned x) { return (uint8_t)x; }
static int16_t i16(int x) { return (int16_t)x; }
static int64_t mul(int64_t a, int64_t b) { return a * b; }
static unsigned __int128 wide(uint64_t a, uint64_t b) { return (unsigned __int128)a * b; }

int main(void) {
    assert(i8(200) == -56 && i8(-129) == 127);
    assert(u8(511) == 255 && i16(40000) == -25536);
    assert(7 / -2 == -3 && 7 % -2 == 1 && -7 % 2 == -1);
    assert(7u / 2u == 3u && 0xffffffffu / 2u == 0x7fffffffu);
    volatile int minus = -8;
    assert(minus >> 1 == -4 && (unsigned)minus >> 1 == 0x7ffffffcu);
    assert(mul(3000000000LL, -3) == -9000000000LL);
    unsigned __int128 p = wide(UINT64_MAX, UINT64_MAX);
    assert((uint64_t)(p >> 64) == UINT64_MAX - 1 && (uint64_t)p == 1);
    assert((uint64_t)(p / 3 % 1000000007u) == (uint64_t)((p / 3) % 1000000007u));
    __int128 negative = -(__int128)1;
    assert(negative < 0 && (int64_t)(negative >> 100) == -1);
    uint32_t wrap = 0xfffffff0u;
    wrap += 0x20;
    assert(wrap == 0x10);
    int x = 5;
    assert(x++ == 5 && x == 6 && --x == 5 && -x == -5 && ~x == -6 && !x == 0);
    _Bool truth = 42;
    assert(truth == 1 && sizeof(truth) == 1);
    char letter = 'a';
    letter += 1;
    assert(letter == 'b');
    assert((x > 3 && x < 10) || 0);
    assert((x & 4) && !(x & 2) && (x ^ 1) == 4 && (x | 2) == 7);
    long long big = 1LL << 40;
    assert((int)(big >> 38) == 4 && (int)big == 0);
    assert(__builtin_popcountll(0xf0f0ULL) == 8 && __builtin_clz(1) == 31);
    assert(__builtin_ctz(8) == 3 && __builtin_bswap32(0x01020304) == 0x04030201);
    int sum;
    assert(__builtin_add_overflow(INT32_MAX, 1, &sum) && sum == INT32_MIN);
    assert(!__builtin_mul_overflow(1000, 1000, &sum) && sum == 1000000);
    unsigned difference;
    assert(__builtin_sub_overflow(1u, 2u, &difference) && difference == UINT32_MAX);
    return 0;
}
