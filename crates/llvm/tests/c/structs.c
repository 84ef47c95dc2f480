#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Structures, unions, bit-fields, nested initialisers, passing and returning by value. */

struct point { int x, y; };
struct big { long words[8]; char tail; };
struct __attribute__((packed)) packed { char c; int i; short s; };
struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; _Bool d : 1; };
union number { int i; float f; double d; unsigned char bytes[8]; };
struct list { struct list *next; union number value; };
struct with_function { int (*call)(struct point); const char *name; };

static int sum(struct point p) { return p.x + p.y; }

struct list tail = { NULL, { .d = 2.5 } };
struct list head = { &tail, { .i = 7 } };
const struct with_function table[] = { { sum, "sum" }, { NULL, "none" } };
struct packed packed = { 'p', -1, 300 };
struct bits bits = { 5, -3, 1ull << 39, 1 };
int matrix[3][4] = { { 1, 2 }, { 0 }, { 9, 8, 7, 6 } };
int *inside = &matrix[1][2];
char *past = (char *)&head + offsetof(struct list, value);
uintptr_t as_integer = (uintptr_t)&matrix[2];
char text[8] = "a\"b\\\n";
wchar_t wide[] = L"wide";

struct point swap(struct point p) { return (struct point){ p.y, p.x }; }

struct big fill(struct big b, int with) {
    for (size_t i = 0; i < sizeof b.words / sizeof *b.words; i++)
        b.words[i] = with;
    return b;
}

int update(struct bits *b, int value) {
    b->b = value;
    b->c += 1;
    b->d ^= 1;
    return b->a + b->b;
}

float pun(union number n) {
    n.i &= 0x7fffffff;
    return n.f;
}

int use(int n) {
    struct big b = { { 0 }, 'x' };
    struct point p = { n, 2 };
    int vla[n];
    memset(vla, 0, sizeof vla);
    b = fill(b, n);
    p = swap(p);
    packed.i++;
    return (int)b.words[3] + table[0].call(p) + vla[n - 1] + update(&bits, n) + (int)pun(tail.value);
}
