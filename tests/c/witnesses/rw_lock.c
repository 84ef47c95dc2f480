// expect: sc=violation(assertion) tso=violation(assertion)
//
// A reader-writer lock in one word, with growing pauses while it is taken, around a table of accounts.
//
// The bug: a writer that finds no readers sets its bit with a second operation, and a reader may have come in
// between.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRITER 0x80000000u
#define READERS 0x7fffffffu
#define FIRST_PAUSE 1u
#define LONGEST_PAUSE 4u
#define ATTEMPTS 2
#define ACCOUNTS 3u

struct rw_lock {
    _Atomic uint32_t word;
    _Atomic uint32_t contended;
};

struct backoff {
    uint32_t pause;
    uint32_t rounds;
};

struct account {
    uint32_t identifier;
    int64_t balance;
    uint32_t changes;
};

struct bank {
    struct rw_lock lock;
    struct account accounts[ACCOUNTS];
    int64_t total;
};

struct transfer {
    struct bank *bank;
    uint32_t from;
    uint32_t to;
    int64_t amount;
    bool done;
};

static struct bank bank;

/* ---- pauses -------------------------------------------------------------------------------------------- */

static void backoff_start(struct backoff *backoff) {
    backoff->pause = FIRST_PAUSE;
    backoff->rounds = 0;
}

static void backoff_wait(struct backoff *backoff) {
    for (uint32_t i = 0; i < backoff->pause; i++) {
        atomic_signal_fence(memory_order_seq_cst);
    }
    if (backoff->pause < LONGEST_PAUSE) {
        backoff->pause *= 2;
    }
    backoff->rounds++;
}

/* ---- the lock ------------------------------------------------------------------------------------------ */

static void rw_lock_init(struct rw_lock *lock) {
    atomic_init(&lock->word, 0);
    atomic_init(&lock->contended, 0);
}

static bool rw_lock_try_read(struct rw_lock *lock) {
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    if ((word & WRITER) != 0) {
        return false;
    }
    return atomic_compare_exchange_strong_explicit(&lock->word, &word, word + 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static bool rw_lock_try_write(struct rw_lock *lock) {
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    if (word != 0) {
        return false;
    }
    /* This has to be a compare-and-exchange from 0. */
    uint32_t before = atomic_fetch_or_explicit(&lock->word, WRITER, memory_order_acquire);
    return (before & WRITER) == 0;
}

static bool rw_lock_read(struct rw_lock *lock) {
    struct backoff backoff;
    backoff_start(&backoff);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (rw_lock_try_read(lock)) {
            return true;
        }
        atomic_fetch_add_explicit(&lock->contended, 1, memory_order_relaxed);
        backoff_wait(&backoff);
    }
    return false;
}

static bool rw_lock_write(struct rw_lock *lock) {
    struct backoff backoff;
    backoff_start(&backoff);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (rw_lock_try_write(lock)) {
            return true;
        }
        atomic_fetch_add_explicit(&lock->contended, 1, memory_order_relaxed);
        backoff_wait(&backoff);
    }
    return false;
}

static void rw_lock_unread(struct rw_lock *lock) {
    uint32_t before = atomic_fetch_sub_explicit(&lock->word, 1, memory_order_release);
    assert((before & READERS) != 0);
}

static void rw_lock_unwrite(struct rw_lock *lock) {
    uint32_t before =
        atomic_fetch_and_explicit(&lock->word, ~WRITER, memory_order_release);
    assert((before & WRITER) != 0);
}

/* ---- the bank ------------------------------------------------------------------------------------------ */

static void bank_init(struct bank *bank) {
    rw_lock_init(&bank->lock);
    bank->total = 0;
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        bank->accounts[i].identifier = i;
        bank->accounts[i].balance = 100;
        bank->accounts[i].changes = 0;
        bank->total += bank->accounts[i].balance;
    }
}

static struct account *bank_account(struct bank *bank, uint32_t identifier) {
    assert(identifier < ACCOUNTS);
    return &bank->accounts[identifier];
}

static void account_add(struct account *account, int64_t amount) {
    account->balance += amount;
    account->changes++;
}

static int64_t bank_sum(struct bank *bank) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        sum += bank_account(bank, i)->balance;
    }
    return sum;
}

static bool bank_transfer(struct transfer *transfer) {
    struct bank *bank = transfer->bank;
    if (!rw_lock_write(&bank->lock)) {
        return false;
    }
    struct account *from = bank_account(bank, transfer->from);
    struct account *to = bank_account(bank, transfer->to);
    bool enough = from->balance >= transfer->amount;
    if (enough) {
        account_add(from, -transfer->amount);
        account_add(to, transfer->amount);
    }
    rw_lock_unwrite(&bank->lock);
    return enough;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static void *pay(void *argument) {
    struct transfer *transfer = argument;
    transfer->done = bank_transfer(transfer);
    return NULL;
}

static void *audit(void *argument) {
    struct bank *bank = argument;
    if (rw_lock_read(&bank->lock)) {
        int64_t sum = bank_sum(bank);
        assert(sum == bank->total);
        rw_lock_unread(&bank->lock);
    }
    return NULL;
}

int main(void) {
    static struct transfer rent = {.bank = &bank, .from = 0, .to = 2, .amount = 60};
    pthread_t payer, auditor;
    bank_init(&bank);
    pthread_create(&payer, NULL, pay, &rent);
    pthread_create(&auditor, NULL, audit, &bank);
    pthread_join(payer, NULL);
    pthread_join(auditor, NULL);
    assert(bank_sum(&bank) == bank.total);
    return 0;
}
