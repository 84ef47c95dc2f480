// expect: sc=violation(memory) tso=violation(memory)
//
// A list of subscriptions that readers walk without locks. Whoever removes an element waits until all readers
// that were in the list have left it, and frees the element then.
//
// The bug: the counter that the writer waits for is chosen before the element is unlinked, and readers that
// come in between are not waited for.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define PHASES 2u
#define TOPICS 3u

struct subscription {
    uint32_t topic;
    uint32_t subscriber;
    uint32_t delivered;
    _Atomic(struct subscription *) next;
};

struct phase {
    _Atomic uint32_t readers;
    uint32_t waits;
};

struct gate {
    _Atomic uint32_t current;
    struct phase phases[PHASES];
};

struct list {
    struct gate gate;
    pthread_mutex_t writers;
    _Atomic(struct subscription *) first;
    uint32_t length;
};

struct delivery {
    uint32_t topic;
    uint32_t sum;
    uint32_t count;
};

static struct list subscriptions = {.writers = PTHREAD_MUTEX_INITIALIZER};
static struct delivery deliveries[2];

/* ---- the gate ------------------------------------------------------------------------------------------ */

static void gate_init(struct gate *gate) {
    atomic_init(&gate->current, 0);
    for (uint32_t i = 0; i < PHASES; i++) {
        atomic_init(&gate->phases[i].readers, 0);
        gate->phases[i].waits = 0;
    }
}

static uint32_t gate_enter(struct gate *gate) {
    uint32_t phase = atomic_load(&gate->current) % PHASES;
    atomic_fetch_add(&gate->phases[phase].readers, 1);
    return phase;
}

static void gate_leave(struct gate *gate, uint32_t phase) {
    uint32_t before = atomic_fetch_sub(&gate->phases[phase].readers, 1);
    assert(before > 0);
}

/* Ends the current phase: readers that come later count in the other one. */
static uint32_t gate_flip(struct gate *gate) {
    uint32_t current = atomic_load(&gate->current);
    atomic_store(&gate->current, current + 1);
    return current % PHASES;
}

static void gate_wait(struct gate *gate, uint32_t phase) {
    gate->phases[phase].waits++;
    while (atomic_load(&gate->phases[phase].readers) != 0) {
    }
}

/* ---- elements ------------------------------------------------------------------------------------------ */

static struct subscription *subscription_new(uint32_t topic, uint32_t subscriber) {
    struct subscription *subscription = malloc(sizeof *subscription);
    subscription->topic = topic;
    subscription->subscriber = subscriber;
    subscription->delivered = 0;
    atomic_init(&subscription->next, NULL);
    return subscription;
}

static struct subscription *next_of(struct subscription *subscription) {
    return atomic_load_explicit(&subscription->next, memory_order_acquire);
}

static bool subscription_is(const struct subscription *subscription, uint32_t topic) {
    return subscription->topic == topic;
}

/* ---- the list ------------------------------------------------------------------------------------------ */

static void list_init(struct list *list) {
    gate_init(&list->gate);
    atomic_init(&list->first, NULL);
    list->length = 0;
}

static void list_add(struct list *list, struct subscription *subscription) {
    pthread_mutex_lock(&list->writers);
    struct subscription *first = atomic_load_explicit(&list->first, memory_order_relaxed);
    atomic_store_explicit(&subscription->next, first, memory_order_relaxed);
    atomic_store_explicit(&list->first, subscription, memory_order_release);
    list->length++;
    pthread_mutex_unlock(&list->writers);
}

static struct subscription *list_unlink(struct list *list, uint32_t topic) {
    _Atomic(struct subscription *) *link = &list->first;
    struct subscription *found = atomic_load(link);
    while (found != NULL && !subscription_is(found, topic)) {
        link = &found->next;
        found = atomic_load(link);
    }
    if (found != NULL) {
        atomic_store(link, next_of(found));
        list->length--;
    }
    return found;
}

static bool list_remove(struct list *list, uint32_t topic) {
    pthread_mutex_lock(&list->writers);
    /* These two lines are in the wrong order. */
    uint32_t phase = gate_flip(&list->gate);
    struct subscription *found = list_unlink(list, topic);
    pthread_mutex_unlock(&list->writers);
    if (found == NULL) {
        return false;
    }
    gate_wait(&list->gate, phase);
    free(found);
    return true;
}

static void list_deliver(struct list *list, struct delivery *delivery) {
    uint32_t phase = gate_enter(&list->gate);
    struct subscription *at = atomic_load_explicit(&list->first, memory_order_acquire);
    while (at != NULL) {
        if (subscription_is(at, delivery->topic)) {
            delivery->sum += at->subscriber;
            delivery->count++;
        }
        at = next_of(at);
    }
    gate_leave(&list->gate, phase);
}

static void list_clear(struct list *list) {
    struct subscription *at = atomic_load(&list->first);
    while (at != NULL) {
        struct subscription *next = next_of(at);
        free(at);
        at = next;
    }
    atomic_store(&list->first, NULL);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void *publish(void *argument) {
    struct delivery *delivery = argument;
    list_deliver(&subscriptions, delivery);
    assert(delivery->count <= 1);
    return NULL;
}

static void *unsubscribe(void *argument) {
    uint32_t topic = *(uint32_t *)argument;
    bool removed = list_remove(&subscriptions, topic);
    assert(removed);
    return NULL;
}

int main(void) {
    static uint32_t leaving = 1;
    pthread_t publisher, remover;
    list_init(&subscriptions);
    for (uint32_t topic = 0; topic < TOPICS; topic++) {
        list_add(&subscriptions, subscription_new(topic, 100 + topic));
    }
    assert(subscriptions.length == TOPICS);
    deliveries[0].topic = 2;
    pthread_create(&publisher, NULL, publish, &deliveries[0]);
    pthread_create(&remover, NULL, unsubscribe, &leaving);
    pthread_join(publisher, NULL);
    pthread_join(remover, NULL);
    assert(subscriptions.length == TOPICS - 1);
    assert(deliveries[0].sum == 102);
    list_clear(&subscriptions);
    return 0;
}
