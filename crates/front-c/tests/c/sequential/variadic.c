// Variadic functions: integers, floats, pointers, structures, va_copy, va_list as a parameter.
#include <assert.h>
#include <stdarg.h>

struct three { long a, b, c; };

static long sum(int n, ...) {
    va_list list;
    va_start(list, n);
    long total = 0;
    while (n-- > 0) total += va_arg(list, int);
    va_end(list);
    return total;
}
static double mixed(const char *kinds, ...) {
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    double total = 0;
    for (const char *k = kinds; *k; k++) {
        switch (*k) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 'p': total += *va_arg(list, int *); break;
        case 's': {
            struct three t = va_arg(list, struct three);
            total += (double)(t.a + t.b + t.c);
            break;
        }
        }
    }
    va_end(list);
    if (*kinds == 'i') assert(va_arg(again, int) == 1);
    va_end(again);
    return total;
}
static int first(va_list list) { return va_arg(list, int); }
static int forward(int n, ...) {
    va_list list;
    va_start(list, n);
    int a = first(list);
    int b = first(list);
    va_end(list);
    return a * 10 + b;
}

int main(void) {
    assert(sum(0) == 0 && sum(3, 1, 2, 3) == 6);
    assert(sum(8, 1, 2, 3, 4, 5, 6, 7, -8) == 20);
    int seven = 7;
    struct three t = {100, 200, 300};
    assert(mixed("ildp", 1, 2L, 0.5, &seven) == 10.5);
    assert(mixed("isd", 1, t, 1.5) == 602.5);
    assert(forward(2, 4, 2) == 42);
    long (*through)(int, ...) = sum;
    assert(through(2, 20, 22) == 42);
    return 0;
}
