// expect: pso=violation(assertion)
//
// A single-producer, single-consumer ring that moves records in batches, as logging libraries have it. Each
// side owns one index and keeps a copy of the other one, which it refreshes only when it runs out of room or of
// records.
//
// The bug: the producer publishes a batch with a relaxed store, so its records may still be on their way to
// memory when the consumer sees the new index.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RING_SLOTS 4u
#define RING_MASK (RING_SLOTS - 1u)
#define BATCH_MOST 3u
#define CACHE_LINE 64

enum level { LEVEL_DEBUG = 1, LEVEL_INFO = 2, LEVEL_ERROR = 3 };

struct record {
    uint32_t sequence;
    uint32_t level;
    uint32_t payload;
    uint32_t checksum;
};

struct ring_producer {
    _Atomic uint32_t tail;
    uint32_t cached_head;
    uint32_t dropped;
    char padding[CACHE_LINE - 12];
};

struct ring_consumer {
    _Atomic uint32_t head;
    uint32_t cached_tail;
    uint32_t refreshes;
    char padding[CACHE_LINE - 12];
};

struct ring {
    struct ring_producer producer;
    struct ring_consumer consumer;
    struct record slots[RING_SLOTS];
};

struct batch {
    struct record records[BATCH_MOST];
    uint32_t count;
};

struct statistics {
    uint32_t received;
    uint32_t by_level[LEVEL_ERROR + 1];
    uint32_t last_sequence;
};

static struct ring log_ring;

/* ---- records ------------------------------------------------------------------------------------------- */

static uint32_t record_checksum(const struct record *record) {
    return record->sequence * 31u + record->level * 7u + record->payload;
}

static void record_fill(struct record *record, uint32_t sequence, enum level level, uint32_t payload) {
    record->sequence = sequence;
    record->level = (uint32_t)level;
    record->payload = payload;
    record->checksum = record_checksum(record);
}

static bool record_is_whole(const struct record *record) {
    return record->checksum == record_checksum(record);
}

/* ---- indices ------------------------------------------------------------------------------------------- */

static uint32_t ring_used(uint32_t head, uint32_t tail) {
    return tail - head;
}

static uint32_t ring_free(uint32_t head, uint32_t tail) {
    return RING_SLOTS - ring_used(head, tail);
}

static struct record *ring_slot(struct ring *ring, uint32_t index) {
    return &ring->slots[index & RING_MASK];
}

static void ring_init(struct ring *ring) {
    atomic_init(&ring->producer.tail, 0);
    atomic_init(&ring->consumer.head, 0);
    ring->producer.cached_head = 0;
    ring->producer.dropped = 0;
    ring->consumer.cached_tail = 0;
    ring->consumer.refreshes = 0;
}

/* ---- the producer's side ------------------------------------------------------------------------------- */

static uint32_t ring_room(struct ring *ring, uint32_t wanted) {
    uint32_t tail = atomic_load_explicit(&ring->producer.tail, memory_order_relaxed);
    uint32_t room = ring_free(ring->producer.cached_head, tail);
    if (room < wanted) {
        ring->producer.cached_head =
            atomic_load_explicit(&ring->consumer.head, memory_order_acquire);
        room = ring_free(ring->producer.cached_head, tail);
    }
    return room < wanted ? room : wanted;
}

static uint32_t ring_push_batch(struct ring *ring, const struct batch *batch) {
    uint32_t tail = atomic_load_explicit(&ring->producer.tail, memory_order_relaxed);
    uint32_t count = ring_room(ring, batch->count);
    for (uint32_t i = 0; i < count; i++) {
        struct record *slot = ring_slot(ring, tail + i);
        slot->sequence = batch->records[i].sequence;
        slot->level = batch->records[i].level;
        slot->payload = batch->records[i].payload;
        slot->checksum = batch->records[i].checksum;
    }
    ring->producer.dropped += batch->count - count;
    /* Should be memory_order_release. */
    atomic_store_explicit(&ring->producer.tail, tail + count, memory_order_relaxed);
    return count;
}

static void batch_start(struct batch *batch) {
    batch->count = 0;
}

static bool batch_add(struct batch *batch, uint32_t sequence, enum level level, uint32_t payload) {
    if (batch->count == BATCH_MOST) {
        return false;
    }
    record_fill(&batch->records[batch->count], sequence, level, payload);
    batch->count++;
    return true;
}

static void *produce(void *argument) {
    struct ring *ring = argument;
    struct batch batch;
    batch_start(&batch);
    batch_add(&batch, 1, LEVEL_INFO, 100);
    batch_add(&batch, 2, LEVEL_ERROR, 200);
    ring_push_batch(ring, &batch);
    batch_start(&batch);
    batch_add(&batch, 3, LEVEL_DEBUG, 300);
    ring_push_batch(ring, &batch);
    return NULL;
}

/* ---- the consumer's side ------------------------------------------------------------------------------- */

static uint32_t ring_ready(struct ring *ring) {
    uint32_t head = atomic_load_explicit(&ring->consumer.head, memory_order_relaxed);
    uint32_t ready = ring_used(head, ring->consumer.cached_tail);
    if (ready == 0) {
        ring->consumer.cached_tail =
            atomic_load_explicit(&ring->producer.tail, memory_order_acquire);
        ring->consumer.refreshes++;
        ready = ring_used(head, ring->consumer.cached_tail);
    }
    return ready;
}

static uint32_t ring_pop_batch(struct ring *ring, struct batch *batch) {
    uint32_t head = atomic_load_explicit(&ring->consumer.head, memory_order_relaxed);
    uint32_t count = ring_ready(ring);
    if (count > BATCH_MOST) {
        count = BATCH_MOST;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct record *slot = ring_slot(ring, head + i);
        batch->records[i].sequence = slot->sequence;
        batch->records[i].level = slot->level;
        batch->records[i].payload = slot->payload;
        batch->records[i].checksum = slot->checksum;
    }
    batch->count = count;
    if (count > 0) {
        atomic_store_explicit(&ring->consumer.head, head + count, memory_order_release);
    }
    return count;
}

static void statistics_add(struct statistics *statistics, const struct record *record) {
    assert(record_is_whole(record));
    assert(record->sequence == statistics->last_sequence + 1);
    statistics->last_sequence = record->sequence;
    statistics->received++;
    statistics->by_level[record->level]++;
}

static void *consume(void *argument) {
    struct ring *ring = argument;
    struct statistics statistics;
    memset(&statistics, 0, sizeof statistics);
    for (int attempt = 0; attempt < 2; attempt++) {
        struct batch batch;
        ring_pop_batch(ring, &batch);
        for (uint32_t i = 0; i < batch.count; i++) {
            statistics_add(&statistics, &batch.records[i]);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t producer, consumer;
    ring_init(&log_ring);
    pthread_create(&producer, NULL, produce, &log_ring);
    pthread_create(&consumer, NULL, consume, &log_ring);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    assert(log_ring.producer.dropped == 0);
    return 0;
}
