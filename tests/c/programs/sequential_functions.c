// expect: all=safe [executions: all=1]
// Recursion, function pointers, variable arguments, static locals, switch, goto.

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(unsigned n);
static int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
static int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int (*const operations[])(int, int) = {add, subtract};

static long sum(int count, ...)
{
    va_list arguments, again;
    long total = 0;

    va_start(arguments, count);
    va_copy(again, arguments);
    for (int i = 0; i < count; i++)
        total += i % 2 ? va_arg(arguments, long) : va_arg(arguments, int);
    va_end(arguments);
    total += va_arg(again, int);
    va_end(again);
    return total;
}

static double average(int count, ...)
{
    va_list arguments;
    double total = 0;

    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        total += va_arg(arguments, double);
    va_end(arguments);
    return total / count;
}

static int next(void)
{
    static int calls = 10;

    return calls++;
}

static int classify(int n)
{
    switch (n) {
    case -1:
        return 'n';
    case 0:
    case 1:
        n += 2;
        // fall through
    case 3:
        return n;
    case 1000000:
        goto far;
    default:
        return 'd';
    }
far:
    return 'f';
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    int values[] = {5, 3, 9, 1}, key = 9;

    assert(ackermann(2, 3) == 9 && is_even(10) && is_odd(7));
    assert(operations[0](2, 3) == 5 && operations[1](2, 3) == -1);
    assert(sum(4, 1, 20L, 300, 4000L) == 4322 && average(2, 1.5, 2.5) == 2.0);
    assert(next() == 10 && next() == 11);
    assert(classify(-1) == 'n' && classify(1) == 3 && classify(3) == 3 && classify(1000000) == 'f');
    assert(classify(7) == 'd');
    qsort(values, 4, sizeof values[0], compare);
    assert(values[0] == 1 && values[1] == 3 && values[2] == 5 && values[3] == 9);
    assert(bsearch(&key, values, 4, sizeof values[0], compare) == &values[3]);
    return 0;
}
