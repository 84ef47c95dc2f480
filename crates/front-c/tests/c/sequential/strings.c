// Strings and memory by the library and by hand.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char *reverse(char *s) {
    for (char *a = s, *b = s + strlen(s) - 1; a < b; a++, b--) {
        char c = *a;
        *a = *b;
        *b = c;
    }
    return s;
}
struct node { struct node *next; int value; };
static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->next = list;
    n->value = value;
    return n;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    char buffer[16] = "hello";
    assert(strcmp(reverse(buffer), "olleh") == 0 && strlen(buffer) == 5);
    strcat(buffer, "!");
    assert(buffer[5] == '!' && buffer[6] == 0 && strchr(buffer, '!') == buffer + 5);
    char copy[32];
    memcpy(copy, buffer, sizeof buffer);
    memmove(copy + 1, copy, 6);
    assert(memcmp(copy, "oolleh!", 7) == 0 && strncmp(copy, "ool", 3) == 0);
    struct node *list = NULL;
    for (int i = 0; i < 4; i++) list = push(list, i);
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum = sum * 10 + list->value;
        free(list);
        list = next;
    }
    assert(sum == 3210);
    int *zeroed = calloc(4, sizeof *zeroed);
    assert(zeroed[3] == 0);
    zeroed = realloc(zeroed, 8 * sizeof *zeroed);
    zeroed[7] = 1;
    assert(zeroed[0] == 0);
    free(zeroed);
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
    assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
    assert(atoi("-42") == -42 && abs(-3) == 3);
    return 0;
}
