// expect: all=safe [executions: all=1]
// expect: all=safe [executions: all=1] [options: -- -O2 -D_FORTIFY_SOURCE=2]
// What string.h, ctype.h, stdlib.h and stdio.h compute; true of any C library.

#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[64];

static void strings(void)
{
    char copy[16] = "abcdef", *rest, *token;
    int tokens = 0;

    assert(strlen("hello") == 5 && strnlen("hello", 3) == 3);
    assert(strcmp("abc", "abd") < 0 && strcmp("b", "abc") > 0 && strcmp("", "") == 0);
    assert(strncmp("abcx", "abcy", 3) == 0 && strncmp("abcx", "abcy", 4) < 0);
    assert(strcasecmp("HeLLo", "hEllO") == 0 && strncasecmp("ABx", "aby", 2) == 0);
    assert(strcmp(strcpy(text, "one"), "one") == 0 && strcmp(strcat(text, " two"), "one two") == 0);
    assert(strcmp(strncat(text, " three", 3), "one two th") == 0);
    strncpy(text, "xy", 5);
    assert(memcmp(text, "xy\0\0\0wo th", 11) == 0);
    assert(stpcpy(text, "end") == text + 3);
    assert(strchr(copy, 'c') == copy + 2 && !strchr(copy, 'x') && strchr(copy, 0) == copy + 6);
    assert(strrchr("abcabc", 'b') != NULL && *strrchr("abcabd", 'b') == 'b');
    assert(strstr(copy, "def") == copy + 3 && !strstr(copy, "deg") && strstr(copy, "") == copy);
    assert(strspn(copy, "cab") == 3 && strcspn(copy, "fd") == 3 && strpbrk(copy, "xe") == copy + 4);
    strcpy(text, ",one,,two, three,");
    for (token = strtok_r(text, ", ", &rest); token; token = strtok_r(NULL, ", ", &rest))
        tokens += strlen(token);
    assert(tokens == 11);
    memmove(copy + 2, copy, 5);
    assert(memcmp(copy, "ababcde", 7) == 0);
    memmove(copy, copy + 2, 5);
    assert(memcmp(copy, "abcdede", 7) == 0);
    memset(copy, 'z', sizeof copy);
    assert(copy[15] == 'z' && memchr(copy, 'z', 16) == copy && !memchr(copy, 'y', 16));
    assert(mempcpy(copy, "12", 3) == copy + 3);
    token = strdup("twice");
    rest = strndup(token, 2);
    assert(strcmp(token, "twice") == 0 && strcmp(rest, "tw") == 0);
    free(token);
    free(rest);
}

static void characters(void)
{
    int c, letters = 0, digits = 0, spaces = 0, marks = 0, printed = 0, hex = 0;

    for (c = 0; c < 128; c++) {
        letters += isalpha(c) != 0;
        digits += isdigit(c) != 0;
        spaces += isspace(c) != 0;
        marks += ispunct(c) != 0;
        printed += isprint(c) != 0;
        hex += isxdigit(c) != 0;
        assert(!isupper(c) || tolower(c) - c == 32);
        assert(!islower(c) || c - toupper(c) == 32);
        assert((isalnum(c) != 0) == (isalpha(c) || isdigit(c)));
    }
    assert(letters == 52 && digits == 10 && spaces == 6 && marks == 32 && printed == 95 && hex == 22);
    assert((isalpha)('x') && !(isdigit)('x') && (tolower)('Q') == 'q');
}

static void numbers(void)
{
    char *end;

    assert(strtol("  -123abc", &end, 10) == -123 && strcmp(end, "abc") == 0);
    assert(strtol("0x7fG", &end, 0) == 0x7f && *end == 'G');
    assert(strtol("0778", &end, 0) == 077 && *end == '8');
    assert(strtol("zz", NULL, 36) == 35 * 36 + 35);
    errno = 0;
    assert(strtol("9223372036854775808", NULL, 10) == LONG_MAX && errno == ERANGE);
    assert(strtol("-9223372036854775809", NULL, 10) == LONG_MIN);
    assert(strtoul("18446744073709551615", NULL, 10) == ULONG_MAX && strtoull("-1", NULL, 10) == ULLONG_MAX);
    assert(strtoimax("42", NULL, 10) == 42);
    assert(atoi("77x") == 77 && atol("-8") == -8 && atoll("9000000000") == 9000000000);
    assert(abs(-5) == 5 && labs(-5L) == 5 && llabs(LLONG_MIN + 1) == LLONG_MAX);
    assert(div(-7, 2).quot == -3 && div(-7, 2).rem == -1 && ldiv(100, 7).rem == 2);
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void sorting(void)
{
    int values[] = {9, -3, 4, 4, 0, 12, -3, 7}, i, key = 7, absent = 5;

    qsort(values, 8, sizeof *values, by_value);
    for (i = 1; i < 8; i++)
        assert(values[i - 1] <= values[i]);
    assert(values[0] == -3 && values[7] == 12);
    assert(bsearch(&key, values, 8, sizeof *values, by_value) == &values[5 + (values[5] != 7)]);
    assert(!bsearch(&absent, values, 8, sizeof *values, by_value));
}

static int into(char *buffer, size_t size, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(buffer, size, format, list);
    va_end(list);
    return length;
}

static void output(void)
{
    char *made;

    assert(sprintf(text, "%d %5d|%-5d|%05d %x %#X %o", -7, 42, 42, 42, 255, 255, 8) == 31);
    assert(strcmp(text, "-7    42|42   |00042 ff 0XFF 10") == 0);
    assert(snprintf(text, 4, "%s", "abcdef") == 6 && strcmp(text, "abc") == 0);
    assert(into(text, sizeof text, "%c%.2s%%%ld%u", 'x', "yz!", -1L, 7u) == 7);
    assert(strcmp(text, "xyz%-17") == 0);
    assert(sprintf(text, "%.3f %g %e", 1.5, 0.25, 12345.678) == 23);
    assert(strcmp(text, "1.500 0.25 1.234568e+04") == 0);
    assert(asprintf(&made, "%zu:%jd", sizeof(int), (intmax_t)-1) == 4 && strcmp(made, "4:-1") == 0);
    free(made);
    assert(printf("%s\n", "shown in witnesses only") == 24);
    assert(puts("a line") >= 0 && putchar('c') == 'c' && fputs("text", stdout) >= 0);
    assert(fprintf(stderr, "%d", 12) == 2 && fwrite("abc", 1, 3, stdout) == 3 && fflush(stdout) == 0);
}

static void heap(void)
{
    int *numbers = malloc(4 * sizeof *numbers), i, *zeros;

    for (i = 0; i < 4; i++)
        numbers[i] = i * i;
    numbers = realloc(numbers, 8 * sizeof *numbers);
    assert(numbers[3] == 9);
    numbers = realloc(numbers, 2 * sizeof *numbers);
    assert(numbers[1] == 1);
    free(numbers);
    zeros = calloc(5, sizeof *zeros);
    assert(!zeros[0] && !zeros[4]);
    free(zeros);
    free(NULL);
    zeros = aligned_alloc(64, 128);
    assert((uintptr_t)zeros % 64 == 0);
    free(zeros);
    assert(posix_memalign((void **)&zeros, 256, 10) == 0 && (uintptr_t)zeros % 256 == 0);
    free(zeros);
    assert(posix_memalign((void **)&zeros, 3, 10) == EINVAL);
}

int main(void)
{
    strings();
    characters();
    numbers();
    sorting();
    output();
    heap();
    return 0;
}
