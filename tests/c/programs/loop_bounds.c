// expect: all=safe [options: -- -DROUNDS=3]
// expect: all=bounded [options: --unroll 2 --unroll-all -- -DROUNDS=3]
// expect: all=safe [options: --unroll 4 --unroll-all -- -DROUNDS=3]
// expect: all=violation(assertion) [options: --unroll 10 --unroll-all -- -DROUNDS=30 -DFAIL_AT=5]
// expect: all=bounded [options: --unroll 3 --unroll-all -- -DROUNDS=30 -DFAIL_AT=5]
// expect: all=bounded [options: --unroll loop_bounds.c:20=3 -- -DROUNDS=30 -DFAIL_AT=5]
// expect: all=violation(assertion) [options: --unroll 3 -- -DROUNDS=30 -DFAIL_AT=5]
// A bound on loops is reported, and hides what lies beyond it.

#include <assert.h>

#ifndef FAIL_AT
#define FAIL_AT (-1)
#endif

static volatile int x;

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        x++;
        assert(x != FAIL_AT);
    }
    return 0;
}
