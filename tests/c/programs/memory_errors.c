// expect: all=violation(memory) [options: -- -DNULL_READ]
// expect: all=violation(memory) [options: -- -DNULL_MEMBER]
// expect: all=violation(memory) [options: -- -DHEAP_OVERRUN]
// expect: all=violation(memory) [options: -- -DHEAP_UNDERRUN]
// expect: all=violation(memory) [options: -- -DSTACK_OVERRUN]
// expect: all=violation(memory) [options: -- -DGLOBAL_OVERRUN]
// expect: all=violation(memory) [options: -- -DWILD]
// expect: all=violation(memory) [options: -- -DFREE_TWICE]
// expect: all=violation(memory) [options: -- -DFREE_MIDDLE]
// expect: all=violation(memory) [options: -- -DFREE_STACK]
// expect: all=violation(memory) [options: -- -DFREE_GLOBAL]
// expect: all=violation(memory) [options: -- -DAFTER_FREE]
// expect: all=violation(memory) [options: -- -DAFTER_REALLOC]
// expect: all=violation(memory) [options: -- -DAFTER_RETURN]
// expect: all=violation(memory) [options: -- -DCONSTANT]
// expect: all=violation(memory) [options: -- -DCOPY_OVERRUN]
// expect: all=violation(memory) [options: -- -DSTRING_OVERRUN]
// expect: all=violation(memory) [options: -- -DCALL_DATA]
// expect: all=safe
// One wrong access each, in one thread.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long value;
    struct node *next;
};

volatile int sink;
int global[4];
volatile int four = 4;

__attribute__((unused)) static volatile int *dangling(void)
{
    volatile int local = 1;
    volatile int *volatile address = &local;

    return address;
}

int main(void)
{
    int local[4] = {1, 2, 3, 4};
    int *heap = calloc(4, sizeof *heap);
    struct node *none = NULL;

    (void)none;
#if defined NULL_READ
    sink = *(int *)none;
#elif defined NULL_MEMBER
    sink = none->next != NULL;
#elif defined HEAP_OVERRUN
    heap[four] = 1;
#elif defined HEAP_UNDERRUN
    sink = heap[-1];
#elif defined STACK_OVERRUN
    sink = local[four];
#elif defined GLOBAL_OVERRUN
    global[four] = 1;
#elif defined WILD
    *(volatile int *)(uintptr_t)0x1234567 = 1;
#elif defined FREE_TWICE
    free(heap);
#elif defined FREE_MIDDLE
    free(heap + 1);
#elif defined FREE_STACK
    free(local);
#elif defined FREE_GLOBAL
    free(global);
#elif defined AFTER_FREE
    free(heap);
    sink = heap[0];
#elif defined AFTER_REALLOC
    int *larger = realloc(heap, 64);
    sink = heap[0];
    heap = larger;
#elif defined AFTER_RETURN
    sink = *dangling();
#elif defined CONSTANT
    *(volatile char *)"text" = 'n';
#elif defined COPY_OVERRUN
    memcpy(heap, global, sizeof global + 1);
#elif defined STRING_OVERRUN
    strcpy((char *)heap, "sixteen letters!");
#elif defined CALL_DATA
    ((void (*)(void))(uintptr_t)global)();
#endif
    sink = local[3] + heap[3];
    free(heap);
    return 0;
}
