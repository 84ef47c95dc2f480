// expect: all=safe [executions: all=1]
// Strings, memory and numbers of the C library.

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strings(void)
{
    char text[32] = "model";

    strcat(text, " checker");
    assert(strlen(text) == 13 && strcmp(text, "model checker") == 0 && strncmp(text, "mode", 4) == 0);
    assert(strchr(text, 'c') == text + 6 && strrchr(text, 'e') == text + 11 && strstr(text, "check") == text + 6);
    memmove(text + 1, text, 5);
    assert(memcmp(text, "mmodel", 6) == 0 && memchr(text, 'o', 5) == text + 2);
    memset(text, 0, sizeof text);
    assert(text[5] == 0);
    strncpy(text, "abcdef", 3);
    assert(strcmp(text, "abc") == 0);
    char *copy = strdup(text);
    copy[0] = (char)toupper(copy[0]);
    assert(strcmp(copy, "Abc") == 0 && isalpha((unsigned char)copy[1]) && !isdigit('x'));
    free(copy);
}

static void numbers(void)
{
    char text[64], *end;

    assert(atoi("-42x") == -42 && strtol("0x1fz", &end, 0) == 31 && *end == 'z' && abs(-3) == 3);
    int length = snprintf(text, sizeof text, "%d|%5.2f|%-4s|%04x|%c|%lu|%%", -7, 3.14159, "ab", 0xbeef, 'q', 99ul);
    assert(length == 25 && strcmp(text, "-7| 3.14|ab  |beef|q|99|%") == 0);
    assert(snprintf(text, 4, "%s", "truncated") == 9 && strcmp(text, "tru") == 0);
    errno = ERANGE;
    assert(errno == ERANGE);
}

int main(void)
{
    strings();
    numbers();
    int *cells = calloc(2, sizeof *cells);
    cells[1] = 7;
    cells = realloc(cells, 4 * sizeof *cells);
    assert(cells[0] == 0 && cells[1] == 7);
    free(cells);
    free(NULL);
    printf("%s: %d\n", "done", 1);
    puts("end");
    return 0;
}
