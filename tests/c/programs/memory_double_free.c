// expect: all=violation(memory)
// Two threads each believe that they are the last user.

#include <pthread.h>
#include <stdlib.h>

struct object {
    int users;
};

static void *drop(void *arg)
{
    struct object *object = arg;

    object->users--;
    if (object->users == 0)
        free(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t t1, t2;

    object->users = 2;
    pthread_create(&t1, NULL, drop, object);
    pthread_create(&t2, NULL, drop, object);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
