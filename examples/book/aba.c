// expect: all=violation(assertion) power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// ABA: a stack of free nodes, popped by a compare-and-exchange of its head. Between a thread's look at the head and
// its exchange the same node may have been popped and pushed back, on top of other nodes than before.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3
#define END 0 // nodes are numbered from 1

// The number of a node, and above it how often the head was changed.
#define NODE(head) ((head) & 0xff)
#ifdef FIXED
#define HEAD(old, node) (((old) & ~0xffu) + 0x100 + (node))
#else
#define HEAD(old, node) (node)
#endif

static atomic_uint head;
static atomic_uint next[NODES];
static atomic_int used[NODES];

static unsigned pop(void)
{
    unsigned old = head;

    while (NODE(old) != END) {
        unsigned below = next[NODE(old)];
        if (atomic_compare_exchange_strong(&head, &old, HEAD(old, below)))
            break;
    }
    return NODE(old);
}

static void push(unsigned node)
{
    unsigned old = head;

    do
        next[node] = NODE(old);
    while (!atomic_compare_exchange_strong(&head, &old, HEAD(old, node)));
}

static unsigned allocate(void)
{
    unsigned node = pop();

    if (node != END)
        assert(atomic_exchange(&used[node], 1) == 0);
    return node;
}

static void release(unsigned node)
{
    used[node] = 0;
    push(node);
}

static void *other(void *unused)
{
    unsigned first = allocate();

    (void)unused;
    allocate(); // kept
    if (first != END)
        release(first);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    push(1);
    push(2);
    pthread_create(&thread, NULL, other, NULL);
    allocate();
    allocate();
    pthread_join(thread, NULL);
    return 0;
}
