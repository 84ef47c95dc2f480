// Switches, loops, gotos, recursion, function pointers, static locals, variable-length arrays.
#include <assert.h>

static int classify(int n) {
    switch (n) {
    case 0: return 100;
    case 1:
    case 2: return 200;
    case 5: n += 1; /* fall through */
    case 6: return 300 + n;
    case -1: break;
    default: return n;
    }
    return -100;
}
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*const ops[2])(int, int) = {add, sub};
static int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
static int counter(void) {
    static int calls = 10;
    return ++calls;
}
static int vla(int n) {
    int total = 0;
    for (int round = 1; round <= 3; round++) {
        int a[n * round];
        for (int i = 0; i < n * round; i++) a[i] = i;
        total += a[n * round - 1];
    }
    return total;
}
static int search(const int *a, int n, int x) {
    int low = 0, high = n;
again:
    if (low >= high) return -1;
    int middle = (low + high) / 2;
    if (a[middle] == x) return middle;
    if (a[middle] < x) low = middle + 1;
    else high = middle;
    goto again;
}

static int threaded(const unsigned char *code) {
    static const void *const labels[] = {&&stop, &&increment, &&twice};
    int value = 1;
next:
    goto *labels[*code++];
increment:
    value++;
    goto next;
twice:
    value *= 2;
    goto next;
stop:
    return value;
}

int main(int argc, char **argv) {
    assert(argc == 1 && argv[0] && argv[0][0] && !argv[1]);
    assert(classify(0) == 100 && classify(2) == 200 && classify(5) == 306 && classify(6) == 306);
    assert(classify(-1) == -100 && classify(77) == 77);
    assert(fib(10) == 55 && even(10) && !odd(4));
    assert(ops[0](3, 4) == 7 && apply(ops[1], 3, 4) == -1);
    assert(counter() == 11 && counter() == 12);
    assert(vla(4) == 3 + 7 + 11);
    int sorted[] = {1, 3, 5, 7, 9, 11};
    assert(search(sorted, 6, 7) == 3 && search(sorted, 6, 8) == -1);
    assert(threaded((const unsigned char[]){2, 1, 2, 0}) == 6);
    int n = 0;
    do {
        n++;
        if (n == 3) continue;
        if (n == 5) break;
    } while (n < 10);
    assert(n == 5);
    int product = 1;
    for (int i = 1, j = 5; i <= j; i++, j--) product *= i * j;
    assert(product == 5 * 8 * 9);
    int max = 3 > 2 ? (1 ? 7 : 8) : 9;
    assert(max == 7);
    return 0;
}
