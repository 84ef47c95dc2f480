// Initial values: addresses in data, expressions, aliases, thread-local and tentative variables.
#include <assert.h>
#include <stdint.h>

int tentative;
int tentative;
static int hidden = 5;
int *pointer = &hidden;
char text[] = "text", *inside = text + 2;
struct item { const char *name; int (*run)(int); struct item *next; };
static int twice(int x) { return 2 * x; }
static struct item last = {"last", twice, 0}, first = {"first", twice, &last};
uintptr_t number = (uintptr_t)&text[1];
double constants[] = {1.5, -2, 1e300};
long offset = (char *)&((struct item *)0)->next - (char *)0;
extern int other __attribute__((alias("hidden_alias_target")));
int hidden_alias_target = 9;
static _Thread_local int local = 3;
__attribute__((constructor)) static void before(void) { tentative = 77; }

int main(void) {
    assert(tentative == 77 && *pointer == 5 && *inside == 'x');
    assert(first.next->run(21) == 42 && first.next->name[0] == 'l');
    assert(*(char *)number == 'e' && constants[2] == 1e300 && offset == 16);
    assert(other == 9 && &other == &hidden_alias_target);
    local++;
    assert(local == 4);
    return 0;
}
