// expect: sc=violation(assertion) pso=violation(assertion)
//
// A store of settings behind a sequence lock. Writers make the sequence odd, change the settings and make it
// even again; readers copy the settings and try again if the sequence has changed.
//
// The bug: a reader that finds the sequence odd goes on after a few pauses instead of starting again.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LIMITS 6
#define PAUSES 2
#define READ_ATTEMPTS 2

struct timeouts {
    _Atomic uint32_t connect;
    _Atomic uint32_t request;
    _Atomic uint32_t idle;
};

struct settings {
    _Atomic uint32_t generation;
    struct timeouts timeouts;
    _Atomic uint32_t limits[LIMITS];
    _Atomic uint32_t checksum;
};

struct snapshot {
    uint32_t generation;
    uint32_t connect;
    uint32_t request;
    uint32_t idle;
    uint32_t limits[LIMITS];
    uint32_t checksum;
};

struct store {
    _Atomic uint32_t sequence;
    pthread_mutex_t writers;
    struct settings settings;
};

static struct store config = {.writers = PTHREAD_MUTEX_INITIALIZER};

/* ---- the sequence -------------------------------------------------------------------------------------- */

static bool sequence_is_odd(uint32_t sequence) {
    return (sequence & 1u) != 0;
}

static void pause_briefly(void) {
    atomic_signal_fence(memory_order_seq_cst);
}

static uint32_t read_begin(struct store *store) {
    uint32_t sequence = atomic_load_explicit(&store->sequence, memory_order_acquire);
    for (int i = 0; i < PAUSES && sequence_is_odd(sequence); i++) {
        pause_briefly();
        sequence = atomic_load_explicit(&store->sequence, memory_order_acquire);
    }
    /* An odd sequence must not get out of here. */
    return sequence;
}

static bool read_retry(struct store *store, uint32_t sequence) {
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&store->sequence, memory_order_relaxed) != sequence;
}

static void write_begin(struct store *store) {
    pthread_mutex_lock(&store->writers);
    atomic_fetch_add_explicit(&store->sequence, 1, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
}

static void write_end(struct store *store) {
    uint32_t sequence = atomic_load_explicit(&store->sequence, memory_order_relaxed);
    atomic_store_explicit(&store->sequence, sequence + 1, memory_order_release);
    pthread_mutex_unlock(&store->writers);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static uint32_t snapshot_checksum(const struct snapshot *snapshot) {
    uint32_t sum = snapshot->generation;
    sum = sum * 3u + snapshot->connect;
    sum = sum * 3u + snapshot->request;
    sum = sum * 3u + snapshot->idle;
    for (int i = 0; i < LIMITS; i++) {
        sum = sum * 3u + snapshot->limits[i];
    }
    return sum;
}

static struct snapshot snapshot_make(uint32_t generation) {
    struct snapshot snapshot;
    snapshot.generation = generation;
    snapshot.connect = 10u * generation;
    snapshot.request = 20u * generation;
    snapshot.idle = 40u * generation;
    for (uint32_t i = 0; i < LIMITS; i++) {
        snapshot.limits[i] = generation + i;
    }
    snapshot.checksum = snapshot_checksum(&snapshot);
    return snapshot;
}

static void settings_copy_in(struct settings *settings, const struct snapshot *from) {
    atomic_store_explicit(&settings->generation, from->generation, memory_order_relaxed);
    atomic_store_explicit(&settings->timeouts.connect, from->connect, memory_order_relaxed);
    atomic_store_explicit(&settings->timeouts.request, from->request, memory_order_relaxed);
    atomic_store_explicit(&settings->timeouts.idle, from->idle, memory_order_relaxed);
    for (int i = 0; i < LIMITS; i++) {
        atomic_store_explicit(&settings->limits[i], from->limits[i], memory_order_relaxed);
    }
    atomic_store_explicit(&settings->checksum, from->checksum, memory_order_relaxed);
}

static void settings_copy_out(struct settings *settings, struct snapshot *to) {
    to->generation = atomic_load_explicit(&settings->generation, memory_order_relaxed);
    to->connect = atomic_load_explicit(&settings->timeouts.connect, memory_order_relaxed);
    to->request = atomic_load_explicit(&settings->timeouts.request, memory_order_relaxed);
    to->idle = atomic_load_explicit(&settings->timeouts.idle, memory_order_relaxed);
    for (int i = 0; i < LIMITS; i++) {
        to->limits[i] = atomic_load_explicit(&settings->limits[i], memory_order_relaxed);
    }
    to->checksum = atomic_load_explicit(&settings->checksum, memory_order_relaxed);
}

static bool snapshot_is_whole(const struct snapshot *snapshot) {
    return snapshot->checksum == snapshot_checksum(snapshot);
}

/* ---- the store ----------------------------------------------------------------------------------------- */

static void store_write(struct store *store, const struct snapshot *snapshot) {
    write_begin(store);
    settings_copy_in(&store->settings, snapshot);
    write_end(store);
}

static bool store_read(struct store *store, struct snapshot *snapshot) {
    for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
        uint32_t sequence = read_begin(store);
        settings_copy_out(&store->settings, snapshot);
        if (!read_retry(store, sequence)) {
            return true;
        }
    }
    return false;
}

static void store_init(struct store *store) {
    struct snapshot first = snapshot_make(1);
    atomic_init(&store->sequence, 0);
    settings_copy_in(&store->settings, &first);
}

static uint32_t snapshot_limit_sum(const struct snapshot *snapshot) {
    uint32_t sum = 0;
    for (int i = 0; i < LIMITS; i++) {
        sum += snapshot->limits[i];
    }
    return sum;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void *reload(void *argument) {
    struct store *store = argument;
    struct snapshot next = snapshot_make(2);
    store_write(store, &next);
    return NULL;
}

static void *serve(void *argument) {
    struct store *store = argument;
    struct snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    if (store_read(store, &snapshot)) {
        assert(snapshot_is_whole(&snapshot));
        assert(snapshot.request >= snapshot.connect);
        assert(snapshot_limit_sum(&snapshot) >= LIMITS * snapshot.generation);
    }
    return NULL;
}

int main(void) {
    pthread_t writer, reader;
    store_init(&config);
    pthread_create(&writer, NULL, reload, &config);
    pthread_create(&reader, NULL, serve, &config);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
