// expect: all=violation(assertion)
// The ABA fault: a node comes back to the top while another thread still remembers what was below it.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    atomic_int users;
};

static struct node a, b;
static _Atomic(struct node *) top;

static struct node *pop(void)
{
    struct node *node = atomic_load(&top);

    while (node && !atomic_compare_exchange_strong(&top, &node, node->next))
        ;
    return node;
}

static void push(struct node *node)
{
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

static void use(struct node *node)
{
    if (node)
        assert(atomic_fetch_add(&node->users, 1) == 0);
}

static void *left(void *arg)
{
    pop();
    use(pop());
    return arg;
}

static void *right(void *arg)
{
    struct node *first = pop();
    struct node *second = pop();

    use(second);
    if (first)
        push(first);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;

    push(&b);
    push(&a);
    pthread_create(&t1, NULL, left, NULL);
    pthread_create(&t2, NULL, right, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
