// expect: all=violation(uninitialised) [options: -- -DHEAP]
// expect: all=violation(uninitialised) [options: -- -DLOCAL]
// expect: all=violation(uninitialised) [options: -- -DARRAY]
// expect: all=violation(uninitialised) [options: -- -DMEMBER]
// expect: all=safe
// Reads of what was never written. Copies of padding and of members that nobody looks at are fine.

#include <stdlib.h>
#include <string.h>

struct record {
    char tag;
    int value, unused;
};

static int pick(int way)
{
    int value;

    if (way)
        value = 1;
    return value;
}

int main(void)
{
    struct record record, copy;
    int *heap = malloc(2 * sizeof *heap);
    int array[3];

    record.tag = 'r';
    record.value = 3;
#ifdef MEMBER
    if (record.unused > 0)
        return 1;
#endif
    copy = record;
    memcpy(&record, &copy, sizeof record);
    heap[0] = 1;
    array[1] = 2;
#if defined HEAP
    if (heap[1])
        return 1;
#elif defined LOCAL
    return pick(0);
#elif defined ARRAY
    return array[2];
#endif
    return heap[0] + array[1] + record.value + copy.tag + pick(1) < 0;
}
