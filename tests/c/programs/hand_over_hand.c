// expect: all=safe
// A sorted list with a lock in each node, taken hand over hand.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};

static struct node *make(int key, struct node *next)
{
    struct node *node = malloc(sizeof *node);

    node->key = key;
    node->next = next;
    pthread_mutex_init(&node->lock, NULL);
    return node;
}

static struct node *list;

static void insert(int key)
{
    struct node *before = list;

    pthread_mutex_lock(&before->lock);
    struct node *after = before->next;
    pthread_mutex_lock(&after->lock);
    while (after->key < key) {
        pthread_mutex_unlock(&before->lock);
        before = after;
        after = before->next;
        pthread_mutex_lock(&after->lock);
    }
    before->next = make(key, after);
    pthread_mutex_unlock(&after->lock);
    pthread_mutex_unlock(&before->lock);
}

static void *work(void *arg)
{
    insert((int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t t1, t2;
    int count = 0;

    list = make(-1, make(100, NULL));
    pthread_create(&t1, NULL, work, (void *)5);
    pthread_create(&t2, NULL, work, (void *)3);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    for (struct node *node = list; node->next; node = node->next, count++)
        assert(node->key < node->next->key);
    assert(count == 3);
    return 0;
}
