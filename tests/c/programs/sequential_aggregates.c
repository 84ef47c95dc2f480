// expect: all=safe [executions: all=1]
// Structures by value, unions, bit-fields, arrays of arrays, initialisers, compound literals.

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct small {
    char a;
    short b;
};
struct large {
    long cells[5];
    struct small inner[2];
};
struct bits {
    unsigned low : 3, middle : 7;
    int sign : 4;
    unsigned long high : 40;
};
union word {
    uint32_t whole;
    uint8_t bytes[4];
    float number;
};

static const struct large table[2] = {{{1, 2, 3}, {{'x', -1}}}, {.cells = {[4] = 9}, .inner[1].b = 4}};
static int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const char *const names[] = {"zero", "one", "two"};

static struct small swapped(struct small s)
{
    return (struct small){(char)s.b, s.a};
}

static struct large doubled(struct large l)
{
    for (size_t i = 0; i < 5; i++)
        l.cells[i] *= 2;
    return l;
}

int main(void)
{
    struct small s = swapped((struct small){1, 2});
    assert(s.a == 2 && s.b == 1);

    struct large l = doubled(table[1]);
    assert(l.cells[4] == 18 && l.cells[0] == 0 && l.inner[1].b == 4 && table[1].cells[4] == 9);
    assert(table[0].cells[2] == 3 && table[0].inner[0].a == 'x' && table[0].inner[0].b == -1);

    struct bits b = {5, 100, -3, 1ul << 39};
    b.middle += 30;
    b.sign--;
    assert(b.low == 5 && b.middle == 2 && b.sign == -4 && b.high >> 39 == 1);

    union word w = {.number = 1.0f};
    assert(w.whole == 0x3f800000 && w.bytes[3] == 0x3f);

    int sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            sum += matrix[i][j] * (i + 1);
    assert(sum == 36 && sizeof matrix == 24 && offsetof(struct large, inner) == 40);
    assert(strcmp(names[2], "two") == 0 && strlen(names[0]) == 4);

    int n = 4;
    int variable[n];
    for (int i = 0; i < n; i++)
        variable[i] = i * i;
    assert(variable[n - 1] == 9 && sizeof variable == 16);
    return 0;
}
