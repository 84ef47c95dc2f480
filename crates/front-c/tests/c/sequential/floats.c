// Floats: arithmetic, conversions, comparisons with what is not a number.
#include <assert.h>

static double half(double x) { return x / 2; }
static float single(double x) { return (float)x; }

int main(void) {
    volatile double zero = 0.0;
    double nan = zero / zero, inf = 1 / zero;
    assert(half(5) == 2.5 && single(0.1) != 0.1 && (double)0.5f == 0.5);
    assert(nan != nan && !(nan < 1) && !(nan > 1) && inf > 1e308 && -inf < 0);
    assert((int)-2.9 == -2 && (unsigned char)200.7 == 200 && (long long)1e15 == 1000000000000000LL);
    assert((float)16777217 == 16777216.0f && (double)(unsigned)-1 == 4294967295.0);
    double x = 1;
    for (int i = 0; i < 10; i++) x *= 1.5;
    assert(x > 57.66 && x < 57.67 && -x < 0 && __builtin_fabs(-x) == x);
    float f = 3;
    f += 0.25f;
    f++;
    assert(f == 4.25f && (int)f % 4 == 0);
    assert(__builtin_isnan(nan) && !__builtin_isnan(x) && __builtin_isinf(inf) && !__builtin_isfinite(-inf));
    assert(__builtin_isnormal(x) && !__builtin_isnormal(0.0) && __builtin_signbit(-0.0));
    return 0;
}
