// expect: all=safe
// The older builtins: values, and a lock made of them.

#include <assert.h>
#include <pthread.h>

static int lock_word;
static int counter;

static void *work(void *arg)
{
    while (__sync_lock_test_and_set(&lock_word, 1))
        ;
    counter++;
    __sync_lock_release(&lock_word);
    return arg;
}

static void values(void)
{
    unsigned x = 6;

    assert(__sync_fetch_and_add(&x, 2) == 6 && x == 8);
    assert(__sync_add_and_fetch(&x, 2) == 10);
    assert(__sync_sub_and_fetch(&x, 1) == 9);
    assert(__sync_fetch_and_or(&x, 6) == 9 && x == 15);
    assert(__sync_and_and_fetch(&x, 12) == 12);
    assert(__sync_xor_and_fetch(&x, 5) == 9);
    assert(__sync_val_compare_and_swap(&x, 9, 3) == 9 && x == 3);
    assert(!__sync_bool_compare_and_swap(&x, 4, 5) && x == 3);
    __sync_synchronize();
}

int main(void)
{
    pthread_t t1, t2;

    values();
    pthread_create(&t1, NULL, work, NULL);
    pthread_create(&t2, NULL, work, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(counter == 2);
    return 0;
}
