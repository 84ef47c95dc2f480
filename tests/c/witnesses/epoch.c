// expect: tso=violation(memory) pso=violation(memory)
//
// Epoch-based reclamation: readers announce the epoch in which they read, a writer frees what it has replaced
// two epochs later.
//
// The bug: a reader announces itself with a store that has no fence behind it. The store may wait in its buffer
// while the reader already holds a pointer, and the writer takes the reader for idle.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define READERS 2
#define LIMBO_LISTS 3
#define IDLE 0u

struct garbage {
    void *object;
    struct garbage *next;
};

struct reader {
    _Atomic uint32_t epoch;
    uint32_t nested;
    uint32_t lookups;
};

struct domain {
    _Atomic uint32_t epoch;
    struct reader readers[READERS];
    struct garbage *limbo[LIMBO_LISTS];
    uint32_t freed;
    uint32_t retired;
};

struct route {
    uint32_t network;
    uint32_t mask;
    uint32_t gateway;
    uint32_t metric;
};

struct table {
    struct domain domain;
    _Atomic(struct route *) best;
};

static struct table routes;

/* ---- the domain ---------------------------------------------------------------------------------------- */

static void domain_init(struct domain *domain) {
    atomic_init(&domain->epoch, 1);
    for (int i = 0; i < READERS; i++) {
        atomic_init(&domain->readers[i].epoch, IDLE);
        domain->readers[i].nested = 0;
        domain->readers[i].lookups = 0;
    }
    for (int i = 0; i < LIMBO_LISTS; i++) {
        domain->limbo[i] = NULL;
    }
    domain->freed = 0;
    domain->retired = 0;
}

static struct reader *domain_reader(struct domain *domain, int number) {
    assert(number >= 0 && number < READERS);
    return &domain->readers[number];
}

static void reader_enter(struct domain *domain, struct reader *reader) {
    if (reader->nested++ == 0) {
        uint32_t epoch = atomic_load_explicit(&domain->epoch, memory_order_acquire);
        /* A fence is missing: atomic_thread_fence(memory_order_seq_cst) belongs behind the store. */
        atomic_store_explicit(&reader->epoch, epoch, memory_order_release);
    }
}

static void reader_leave(struct reader *reader) {
    assert(reader->nested > 0);
    if (--reader->nested == 0) {
        atomic_store_explicit(&reader->epoch, IDLE, memory_order_release);
    }
}

/* ---- reclamation --------------------------------------------------------------------------------------- */

static bool domain_is_behind(struct domain *domain, uint32_t epoch) {
    for (int i = 0; i < READERS; i++) {
        uint32_t seen = atomic_load_explicit(&domain->readers[i].epoch, memory_order_acquire);
        if (seen != IDLE && seen != epoch) {
            return true;
        }
    }
    return false;
}

static void domain_free_list(struct domain *domain, uint32_t list) {
    struct garbage *garbage = domain->limbo[list];
    domain->limbo[list] = NULL;
    while (garbage != NULL) {
        struct garbage *next = garbage->next;
        free(garbage->object);
        free(garbage);
        domain->freed++;
        garbage = next;
    }
}

static bool domain_advance(struct domain *domain) {
    uint32_t epoch = atomic_load_explicit(&domain->epoch, memory_order_relaxed);
    if (domain_is_behind(domain, epoch)) {
        return false;
    }
    atomic_store(&domain->epoch, epoch + 1);
    domain_free_list(domain, (epoch + 1) % LIMBO_LISTS);
    return true;
}

static void domain_retire(struct domain *domain, void *object) {
    uint32_t epoch = atomic_load_explicit(&domain->epoch, memory_order_relaxed);
    struct garbage *garbage = malloc(sizeof *garbage);
    garbage->object = object;
    garbage->next = domain->limbo[epoch % LIMBO_LISTS];
    domain->limbo[epoch % LIMBO_LISTS] = garbage;
    domain->retired++;
}

static void domain_drain(struct domain *domain) {
    for (uint32_t i = 0; i < LIMBO_LISTS; i++) {
        domain_free_list(domain, i);
    }
    assert(domain->freed == domain->retired);
}

/* ---- routes -------------------------------------------------------------------------------------------- */

static struct route *route_new(uint32_t network, uint32_t mask, uint32_t gateway, uint32_t metric) {
    struct route *route = malloc(sizeof *route);
    route->network = network;
    route->mask = mask;
    route->gateway = gateway;
    route->metric = metric;
    return route;
}

static bool route_matches(const struct route *route, uint32_t address) {
    return (address & route->mask) == route->network;
}

static void table_init(struct table *table) {
    domain_init(&table->domain);
    atomic_init(&table->best, route_new(0x0a000000, 0xff000000, 1, 10));
}

static uint32_t table_lookup(struct table *table, struct reader *reader, uint32_t address) {
    uint32_t gateway = 0;
    reader_enter(&table->domain, reader);
    struct route *route = atomic_load_explicit(&table->best, memory_order_acquire);
    if (route_matches(route, address)) {
        gateway = route->gateway;
    }
    reader->lookups++;
    reader_leave(reader);
    return gateway;
}

static void table_replace(struct table *table, struct route *route) {
    struct route *old = atomic_exchange(&table->best, route);
    domain_retire(&table->domain, old);
    for (int i = 0; i < LIMBO_LISTS; i++) {
        if (!domain_advance(&table->domain)) {
            break;
        }
    }
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void *forward(void *argument) {
    struct reader *reader = domain_reader(&routes.domain, *(int *)argument);
    uint32_t gateway = table_lookup(&routes, reader, 0x0a010203);
    assert(gateway == 1 || gateway == 2);
    return NULL;
}

static void *announce(void *argument) {
    (void)argument;
    table_replace(&routes, route_new(0x0a000000, 0xff000000, 2, 5));
    return NULL;
}

int main(void) {
    static int number = 0;
    pthread_t reader, writer;
    table_init(&routes);
    pthread_create(&reader, NULL, forward, &number);
    pthread_create(&writer, NULL, announce, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    domain_drain(&routes.domain);
    free(atomic_load(&routes.best));
    return 0;
}
