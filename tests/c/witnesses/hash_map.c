// expect: sc=violation(deadlock) tso=violation(deadlock)
//
// A hash map with a lock for each bucket. A value can be renamed from one key to another, which takes the locks
// of both buckets.
//
// The bug: rename takes the lock of the old key first, whichever bucket it is in, so two renames in opposite
// directions wait for each other.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define BUCKETS 4u
#define ENTRIES_MOST 3u

struct entry {
    uint32_t key;
    uint32_t value;
    bool used;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry entries[ENTRIES_MOST];
    uint32_t count;
};

struct map {
    struct bucket buckets[BUCKETS];
    _Atomic uint32_t size;
    _Atomic uint32_t renames;
};

enum map_result { MAP_DONE, MAP_ABSENT, MAP_PRESENT, MAP_FULL };

struct rename {
    struct map *map;
    uint32_t from;
    uint32_t to;
    enum map_result result;
};

static struct map sessions;

/* ---- keys ---------------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t key) {
    key ^= key >> 7;
    key *= 0x9e3779b1u;
    return key >> 16;
}

static struct bucket *map_bucket(struct map *map, uint32_t key) {
    return &map->buckets[hash(key) % BUCKETS];
}

/* ---- buckets; their users hold the lock ---------------------------------------------------------------- */

static struct entry *bucket_find(struct bucket *bucket, uint32_t key) {
    for (uint32_t i = 0; i < ENTRIES_MOST; i++) {
        struct entry *entry = &bucket->entries[i];
        if (entry->used && entry->key == key) {
            return entry;
        }
    }
    return NULL;
}

static struct entry *bucket_unused(struct bucket *bucket) {
    for (uint32_t i = 0; i < ENTRIES_MOST; i++) {
        if (!bucket->entries[i].used) {
            return &bucket->entries[i];
        }
    }
    return NULL;
}

static enum map_result bucket_put(struct bucket *bucket, uint32_t key, uint32_t value) {
    if (bucket_find(bucket, key) != NULL) {
        return MAP_PRESENT;
    }
    struct entry *entry = bucket_unused(bucket);
    if (entry == NULL) {
        return MAP_FULL;
    }
    entry->key = key;
    entry->value = value;
    entry->used = true;
    bucket->count++;
    return MAP_DONE;
}

static enum map_result bucket_remove(struct bucket *bucket, uint32_t key, uint32_t *value) {
    struct entry *entry = bucket_find(bucket, key);
    if (entry == NULL) {
        return MAP_ABSENT;
    }
    *value = entry->value;
    entry->used = false;
    bucket->count--;
    return MAP_DONE;
}

/* ---- locks --------------------------------------------------------------------------------------------- */

static void bucket_lock(struct bucket *bucket) {
    pthread_mutex_lock(&bucket->lock);
}

static void bucket_unlock(struct bucket *bucket) {
    pthread_mutex_unlock(&bucket->lock);
}

static void lock_both(struct bucket *first, struct bucket *second) {
    /* The bucket with the lower address has to be locked first. */
    bucket_lock(first);
    if (second != first) {
        bucket_lock(second);
    }
}

static void unlock_both(struct bucket *first, struct bucket *second) {
    if (second != first) {
        bucket_unlock(second);
    }
    bucket_unlock(first);
}

/* ---- the map ------------------------------------------------------------------------------------------- */

static void map_init(struct map *map) {
    for (uint32_t i = 0; i < BUCKETS; i++) {
        struct bucket *bucket = &map->buckets[i];
        pthread_mutex_init(&bucket->lock, NULL);
        bucket->count = 0;
        for (uint32_t j = 0; j < ENTRIES_MOST; j++) {
            bucket->entries[j].used = false;
        }
    }
    atomic_init(&map->size, 0);
    atomic_init(&map->renames, 0);
}

static enum map_result map_put(struct map *map, uint32_t key, uint32_t value) {
    struct bucket *bucket = map_bucket(map, key);
    bucket_lock(bucket);
    enum map_result result = bucket_put(bucket, key, value);
    if (result == MAP_DONE) {
        atomic_fetch_add_explicit(&map->size, 1, memory_order_relaxed);
    }
    bucket_unlock(bucket);
    return result;
}

static enum map_result map_get(struct map *map, uint32_t key, uint32_t *value) {
    struct bucket *bucket = map_bucket(map, key);
    bucket_lock(bucket);
    struct entry *entry = bucket_find(bucket, key);
    if (entry != NULL) {
        *value = entry->value;
    }
    bucket_unlock(bucket);
    return entry != NULL ? MAP_DONE : MAP_ABSENT;
}

static enum map_result map_rename(struct map *map, uint32_t from, uint32_t to) {
    struct bucket *old = map_bucket(map, from);
    struct bucket *new = map_bucket(map, to);
    uint32_t value = 0;
    lock_both(old, new);
    enum map_result result = bucket_remove(old, from, &value);
    if (result == MAP_DONE) {
        result = bucket_put(new, to, value);
        atomic_fetch_add_explicit(&map->renames, 1, memory_order_relaxed);
    }
    unlock_both(old, new);
    return result;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void *rename_key(void *argument) {
    struct rename *rename = argument;
    rename->result = map_rename(rename->map, rename->from, rename->to);
    return NULL;
}

static void *look_up(void *argument) {
    uint32_t value = 0;
    if (map_get(argument, 7, &value) == MAP_DONE) {
        assert(value == 70);
    }
    return NULL;
}

int main(void) {
    static struct rename login = {.map = &sessions, .from = 1, .to = 2};
    static struct rename logout = {.map = &sessions, .from = 3, .to = 8};
    pthread_t first, second, third;
    map_init(&sessions);
    map_put(&sessions, 1, 10);
    map_put(&sessions, 3, 30);
    map_put(&sessions, 7, 70);
    pthread_create(&third, NULL, look_up, &sessions);
    pthread_create(&first, NULL, rename_key, &login);
    pthread_create(&second, NULL, rename_key, &logout);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}
