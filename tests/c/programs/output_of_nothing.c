// expect: all=violation(memory) [options: -- -DFREED]
// expect: all=violation(memory) [options: -- -DENDLESS]
// expect: all=safe
// What printf is given to print must be there.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = strdup("abc");
    char letters[3] = { 'a', 'b', 'c' };

#ifdef FREED
    free(text);
#endif
#ifdef ENDLESS
    printf("%s\n", letters);
#else
    printf("%.3s\n", letters);
#endif
    puts(text);
#ifndef FREED
    free(text);
#endif
    return 0;
}
