// expect: all=violation(memory) power=violation(memory) arm=violation(memory)
// expect: all=safe power=safe arm=safe [options: -- -DFIXED]
//
// A reference count that is decremented, and then read again to see whether it was the last.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    atomic_int users;
    int text;
};

static void leave(struct message *message)
{
#ifdef FIXED
    if (atomic_fetch_sub(&message->users, 1) == 1)
        free(message);
#else
    atomic_fetch_sub(&message->users, 1);
    if (atomic_load(&message->users) == 0)
        free(message);
#endif
}

static void *reader(void *message)
{
    leave(message);
    return NULL;
}

int main(void)
{
    struct message *message = malloc(sizeof *message);
    pthread_t thread;

    atomic_init(&message->users, 2);
    message->text = 42;
    pthread_create(&thread, NULL, reader, message);
    leave(message);
    pthread_join(thread, NULL);
    return 0;
}
