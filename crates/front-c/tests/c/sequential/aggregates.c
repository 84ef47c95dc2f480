// Structures by value, unions, bit-fields, arrays, pointers to parts.
#include <assert.h>
#include <stddef.h>
#include <string.h>

struct pair { int a, b; };
struct floats { float x, y; };
struct mixed { char c; double d; short s; };
struct large { long v[6]; };
struct nested { struct pair p[2]; struct { char name[8]; } inner; };
union both { unsigned u; float f; unsigned char bytes[4]; };
struct bits { unsigned a : 3; int b : 5; unsigned c : 12; unsigned long long d : 40; };

static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
static struct floats scale(struct floats f, float by) { return (struct floats){f.x * by, f.y * by}; }
static struct mixed mix(char c, double d, short s) { struct mixed m = {c, d, s}; return m; }
static struct large fill(struct large l, long by) {
    for (int i = 0; i < 6; i++) l.v[i] += by;
    return l;
}
static long sum(struct large l) {
    long s = 0;
    for (int i = 0; i < 6; i++) s += l.v[i];
    l.v[0] = 1000000;
    return s;
}

struct pair table[3] = {{1, 2}, {3, 4}, {5, 6}};
const char *words[] = {"one", "two", "three"};
int *into = &table[1].b;
struct nested global = {.p = {{7, 8}, {9, 10}}, .inner = {"abc"}};

int main(void) {
    struct pair p = swap((struct pair){1, 2});
    assert(p.a == 2 && p.b == 1);
    struct floats f = scale((struct floats){1.5f, -2.0f}, 2);
    assert(f.x == 3 && f.y == -4);
    struct mixed m = mix('x', 2.5, -3);
    assert(m.c == 'x' && m.d == 2.5 && m.s == -3 && sizeof m == 24);
    struct large l = {{1, 2, 3, 4, 5, 6}};
    struct large k = fill(l, 10);
    assert(l.v[0] == 1 && k.v[5] == 16 && sum(k) == 81 && k.v[0] == 11);
    union both u;
    u.f = 1.0f;
    assert(u.u == 0x3f800000 && u.bytes[3] == 0x3f);
    struct bits b;
    b.a = 9;
    b.b = -3;
    b.c = 0xfff;
    b.d = 0xffffffffffULL;
    assert(b.a == 1 && b.b == -3 && b.c == 0xfff && b.d == 0xffffffffffULL);
    b.c++;
    assert(b.c == 0 && b.b == -3);
    assert(*into == 4 && words[2][3] == 'e' && strcmp(words[1], "two") == 0);
    *into = 40;
    assert(table[1].b == 40);
    assert(global.p[1].b == 10 && strlen(global.inner.name) == 3);
    struct nested copy = global;
    copy.p[0].a = 70;
    assert(global.p[0].a == 7 && copy.p[0].a == 70 && copy.p[1].a == 9);
    int grid[3][4] = {{1}, {0, 2}, {0, 0, 3}};
    int trace = 0;
    for (int i = 0; i < 3; i++) trace += grid[i][i];
    assert(trace == 6 && sizeof grid == 48);
    int *end = &grid[2][3], *begin = grid[0];
    assert(end - begin == 11 && offsetof(struct mixed, s) == 16);
    struct pair *q = &table[2];
    q->a += q[-1].a;
    assert(table[2].a == 8);
    memset(&copy, 0, sizeof copy);
    assert(copy.p[1].b == 0);
    return 0;
}
