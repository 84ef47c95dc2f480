/* The snark double-ended queue, with its double compare-and-swap made of a mutex: one thread pushes on
   the right, another pops on the left. */
#include "spin.h"

typedef struct node {
    struct node *left, *right;
    int value;
} node;

static node dummy = {&dummy, &dummy, 0};
static node *left_hat = &dummy, *right_hat = &dummy;
static node nodes[2];
static pthread_mutex_t atomic = PTHREAD_MUTEX_INITIALIZER;

static int dcas(node **a, node **b, node *old_a, node *old_b, node *new_a, node *new_b) {
    pthread_mutex_lock(&atomic);
    int same = *a == old_a && *b == old_b;
    if (same) {
        *a = new_a;
        *b = new_b;
    }
    pthread_mutex_unlock(&atomic);
    return same;
}

static void push_right(node *fresh, int value) {
    fresh->right = &dummy;
    fresh->value = value;
    for (;;) {
        node *hat = right_hat;
        node *beyond = hat->right;
        if (beyond == hat) {
            fresh->left = &dummy;
            node *other = left_hat;
            if (dcas(&right_hat, &left_hat, hat, other, fresh, fresh)) {
                return;
            }
        } else {
            fresh->left = hat;
            if (dcas(&right_hat, &hat->right, hat, beyond, fresh, fresh)) {
                return;
            }
        }
    }
}

static int pop_left(int *value) {
    for (;;) {
        node *hat = left_hat;
        node *other = right_hat;
        if (hat->left == hat) {
            return 0;
        }
        if (hat == other) {
            if (dcas(&left_hat, &right_hat, hat, other, &dummy, &dummy)) {
                *value = hat->value;
                return 1;
            }
        } else {
            node *beyond = hat->right;
            if (dcas(&left_hat, &hat->right, hat, beyond, beyond, hat)) {
                *value = hat->value;
                hat->left = &dummy;
                return 1;
            }
        }
    }
}

static void *pusher(void *unused) {
    push_right(&nodes[0], 1);
    push_right(&nodes[1], 2);
    return unused;
}

static void *popper(void *unused) {
    int value = 0;
    pop_left(&value);
    pop_left(&value);
    return unused;
}

int main(void) {
    run(pusher, popper);
    return 0;
}
