/* Lamport's bakery for two threads, without fences. */
#include "spin.h"

#define THREADS 2

static int choosing[THREADS], number[THREADS], inside;

static int before(int a, int b) {
    return number[a] != 0 && (number[a] < number[b] || (number[a] == number[b] && a < b));
}

static void enter(int me) {
    choosing[me] = 1;
    int most = 0;
    for (int other = 0; other < THREADS; other++) {
        int seen = number[other];
        if (seen > most) {
            most = seen;
        }
    }
    number[me] = most + 1;
    choosing[me] = 0;
    for (int other = 0; other < THREADS; other++) {
        if (other == me) {
            continue;
        }
        while (choosing[other]) {
        }
        while (before(other, me)) {
        }
    }
}

static void section(int me) {
    enter(me);
    inside = me + 1;
    number[me] = 0;
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
