/* Dekker's mutual exclusion for two threads, without fences. */
#include "spin.h"

static int wants[2], turn, inside;

static void enter(int me) {
    int other = 1 - me;
    wants[me] = 1;
    while (wants[other]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me) {
            }
            wants[me] = 1;
        }
    }
}

static void leave(int me) {
    turn = 1 - me;
    wants[me] = 0;
}

static void section(int me) {
    enter(me);
    inside = me;
    inside = me + 2;
    leave(me);
}

static void *first(void *unused) {
    section(0);
    return unused;
}

static void *second(void *unused) {
    section(1);
    return unused;
}

int main(void) {
    run(first, second);
    return 0;
}
