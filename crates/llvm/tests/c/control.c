#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Control flow: switches, computed gotos, recursion, varargs, function pointers, short circuits. */

int classify(int c) {
    switch (c) {
    case -5: return 1;
    case 0 ... 9: return 2;
    case 'a': case 'b': return 3;
    case 1000000: break;
    default: return c > 50 && c < 70 || c == 80 ? 4 : 5;
    }
    return 6;
}

long wide_switch(long long v) {
    switch (v) {
    case 0x7fffffffffffffffll: return 1;
    case -0x7fffffffffffffffll - 1: return 2;
    }
    return 0;
}

int interpret(const unsigned char *code) {
    static const void *const targets[] = { &&halt, &&increment, &&twice };
    int accumulator = 0;
    goto *targets[*code++];
increment:
    accumulator++;
    goto *targets[*code++];
twice:
    accumulator *= 2;
    goto *targets[*code++];
halt:
    return accumulator;
}

int total(int count, ...) {
    va_list list, copy;
    int sum = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    va_end(list);
    sum += (int)va_arg(copy, double);
    va_end(copy);
    return sum;
}

static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

typedef int (*unary)(int);
static unary pick(int which) { return which ? classify : abs; }

static jmp_buf env;
int jumps(void) {
    if (setjmp(env))
        return 1;
    longjmp(env, 2);
}

__attribute__((noreturn)) static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    abort();
}

int main(int argc, char **argv) {
    do {
        if (argc > 3)
            continue;
        if (argc == 2)
            fail(argv[1]);
    } while (argc-- > 1);
    printf("%d %u %f %s %ld\n", total(2, 1, 2, 3.0), fib(5), 1.5, "text", wide_switch(argc));
    for (;;) {
        if (pick(argc)(-3) > 2)
            break;
        argc++;
    }
    return interpret((const unsigned char *)"\1\2\0") + jumps();
}
