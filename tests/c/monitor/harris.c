/* Harris's non-blocking set, a sorted list whose links carry a mark: one thread inserts and looks up,
   another inserts and removes. */
#include "spin.h"

typedef struct node {
    struct node *next;
    int key;
} node;

static node last = {NULL, 100};
static node first = {&last, -1};
static node nodes[2];

static int is_marked(node *link) {
    return (int)((uintptr_t)link & 1);
}

static node *marked(node *link) {
    return (node *)((uintptr_t)link | 1);
}

static node *unmarked(node *link) {
    return (node *)((uintptr_t)link & ~(uintptr_t)1);
}

/* The first node whose key is not less, and the one before it; marked nodes on the way are taken out. */
static node *search(int key, node **before) {
retry:;
    node *left = &first;
    node *right = unmarked(left->next);
    for (;;) {
        node *next = right->next;
        if (is_marked(next)) {
            if (!CAS(&left->next, right, unmarked(next))) {
                goto retry;
            }
            right = unmarked(next);
            continue;
        }
        if (right->key >= key) {
            *before = left;
            return right;
        }
        left = right;
        right = next;
    }
}

static int insert(node *fresh, int key) {
    fresh->key = key;
    for (;;) {
        node *left;
        node *right = search(key, &left);
        if (right->key == key) {
            return 0;
        }
        fresh->next = right;
        if (CAS(&left->next, right, fresh)) {
            return 1;
        }
    }
}

static int removes(int key) {
    for (;;) {
        node *left;
        node *right = search(key, &left);
        if (right->key != key) {
            return 0;
        }
        node *next = right->next;
        if (!is_marked(next) && CAS(&right->next, next, marked(next))) {
            CAS(&left->next, right, next);
            return 1;
        }
    }
}

static void *one(void *unused) {
    insert(&nodes[0], 1);
    return unused;
}

static void *two(void *unused) {
    insert(&nodes[1], 2);
    removes(1);
    return unused;
}

int main(void) {
    run(one, two);
    return 0;
}
