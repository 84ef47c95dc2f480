// expect: memory at 6:
#include <stdlib.h>
int main(void) {
    int *p = malloc(4);
    free(p);
    return *p;
}
