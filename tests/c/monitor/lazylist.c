/* The lazy list-based set: searches without locks, changes with locks on two nodes. One thread adds,
   another removes. */
#include "spin.h"

typedef struct node {
    struct node *next;
    int key;
    int removed;
    spin lock;
} node;

static node last = {NULL, 100, 0, {0}};
static node middle = {&last, 5, 0, {0}};
static node first = {&middle, -1, 0, {0}};
static node fresh;

/* Both nodes around a key, locked and next to each other. */
static node *locate(int key, node **before) {
    for (;;) {
        node *left = &first;
        node *right = left->next;
        while (right->key < key) {
            left = right;
            right = right->next;
        }
        spin_lock(&left->lock);
        spin_lock(&right->lock);
        if (!left->removed && !right->removed && left->next == right) {
            *before = left;
            return right;
        }
        spin_unlock(&left->lock);
        spin_unlock(&right->lock);
    }
}

static void *adds(void *unused) {
    node *left;
    node *right = locate(3, &left);
    if (right->key != 3) {
        fresh.key = 3;
        fresh.next = right;
        left->next = &fresh;
    }
    spin_unlock(&right->lock);
    spin_unlock(&left->lock);
    return unused;
}

static void *removes(void *unused) {
    node *left;
    node *right = locate(5, &left);
    if (right->key == 5) {
        node *next = right->next;
        right->removed = 1;
        left->next = next;
    }
    spin_unlock(&right->lock);
    spin_unlock(&left->lock);
    return unused;
}

int main(void) {
    run(adds, removes);
    return 0;
}
