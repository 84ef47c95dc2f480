#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Arithmetic: every width, floats of every kind, 128 bits, complex numbers, vectors, overflow. */

__int128 huge = (__int128)1 << 100;
unsigned __int128 mask = ~(unsigned __int128)0;
float third = 1.0f / 3.0f;
double tiny = 4.9406564584124654e-324, large = 1e300, infinite = INFINITY, none = NAN;
long double extended = 3.14159265358979323846264338327950288L, minus_zero = -0.0L;
#if __clang_major__ >= 15
_Float16 half = 1.5;
#endif
double _Complex imaginary = 1.0 + 2.0 * I;

int8_t narrow(int64_t v) { return (int8_t)(v >> 3 ^ v << 5); }
uint16_t mix(uint16_t a, uint8_t b) { return (uint16_t)(a * b + a % (b | 1) - a / (b | 1)); }
int64_t divide(int64_t a, int64_t b) { return b ? a / b + a % b : LLONG_MIN; }
unsigned __int128 multiply(uint64_t a, uint64_t b) { return (unsigned __int128)a * b; }
__int128 shift(__int128 v, int by) { return v >> by | v << (128 - by); }

float single(float a, float b) { return a * b - a / b + fmodf(a, b); }
double mixed(int i, unsigned u, float f) { return i * 0.1 + u + (double)f; }
unsigned to_unsigned(double d) { return (unsigned)d; }
long double stretch(long double l, int i) { return -l * i + extended; }
bool compare(double a, double b) { return a < b || !(a <= b) || isunordered(a, b) || a != b; }
double root(double d) { return sqrt(fabs(d)) + floor(d) + fma(d, d, d); }

double _Complex rotate(double _Complex z) { return z * I + conj(z) / imaginary; }
float _Complex small(float _Complex z) { return z + 1.0f; }

typedef int lanes __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(32)));
lanes ones = { 1, 1, 1, 1 };
lanes shuffled(lanes a, lanes b) {
    lanes c = a * b + ones;
    c[2] = b[1];
    return __builtin_shufflevector(c, a, 0, 5, 2, 7) > b;
}
floats scale(floats f, float by) { return f * by; }

int overflow(int a, int b, int *out) {
    return __builtin_add_overflow(a, b, out) + __builtin_popcount((unsigned)a) +
           __builtin_clz((unsigned)b | 1) + __builtin_ctzll((unsigned long long)a | 1) +
           (int)__builtin_bswap32((unsigned)b) + (int)__builtin_rotateleft32((unsigned)a, 3);
}

long long sums(int *v, int n) {
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] > 0 ? v[i] : -v[i];
    return sum;
}

char convert(float f, double d, unsigned char c, signed char s, long l) {
    return (char)((int)f + (long)d + c + s + (char)l + (f != 0) + (unsigned long)d);
}
