//! The set of states: pairs of numbers, each with the pair it was first reached from.
//!
//! A pair is its own key, and keys are stored in the hash table itself (open addressing), so a lookup
//! usually touches one cache line. The keys are distributed over shards by their hash, each shard under
//! a lock. Tables grow by half at a time, so at most half of a large table is free.

use crate::tables::{Number, SHARD_BITS, SHARDS, hash_pair, lock, shard_of};
use std::sync::Mutex;

/// Marks a free slot. Not a pair, because numbers have 31 bits.
const EMPTY: u64 = u64::MAX;

/// Two numbers in one word.
pub(crate) type Pair = u64;

pub(crate) fn pair(a: Number, b: Number) -> Pair {
    u64::from(a) << 32 | u64::from(b)
}

pub(crate) fn unpair(pair: Pair) -> (Number, Number) {
    ((pair >> 32) as u32, pair as u32)
}

#[derive(Debug, Default)]
pub(crate) struct Roots {
    shards: [Mutex<Shard>; SHARDS],
}

/// Keys that a worker is going to add, by shard, each with the key it was reached from.
///
/// Nearly every lookup in a large table is a cache miss. The misses of a batch of keys overlap.
#[derive(Debug, Default)]
pub(crate) struct Pending([Vec<(Pair, Pair)>; SHARDS]);

impl Pending {
    pub(crate) fn push(&mut self, key: Pair, from: Pair) {
        self.0[shard_of(hash_pair(key))].push((key, from));
    }
}

#[derive(Debug, Default)]
struct Shard {
    keys: Vec<Pair>,
    /// For each slot: the key it was reached from, or `EMPTY` for the initial state.
    froms: Vec<Pair>,
    used: usize,
}

impl Shard {
    /// The slot at which the probe for a key begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        // Sizes are not powers of two. A multiplication maps the hash, as a fraction of 2^64, to a slot; a
        // remainder would need a division.
        let spread = u128::from(hash << SHARD_BITS) * self.keys.len() as u128;
        (spread >> 64) as usize
    }

    /// The slot that holds a key, or the free slot where it would be inserted.
    #[inline]
    fn slot(&self, hash: u64, key: Pair) -> usize {
        // Ends, because a quarter of the slots is free.
        let mut slot = self.home(hash);
        while self.keys[slot] != key && self.keys[slot] != EMPTY {
            slot += 1;
            if slot == self.keys.len() {
                slot = 0;
            }
        }
        slot
    }

    /// Adds a key; returns whether it is new.
    #[inline]
    fn insert(&mut self, key: Pair, from: Pair) -> bool {
        if (self.used + 1) * 4 > self.keys.len() * 3 {
            self.grow();
        }
        let slot = self.slot(hash_pair(key), key);
        let new = self.keys[slot] == EMPTY;
        if new {
            (self.keys[slot], self.froms[slot]) = (key, from);
            self.used += 1;
        }
        new
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.keys.len() * 3 / 2).max(32);
        let keys = std::mem::replace(&mut self.keys, vec![EMPTY; size]);
        let froms = std::mem::replace(&mut self.froms, vec![EMPTY; size]);
        for (key, from) in keys.into_iter().zip(froms).filter(|(key, _)| *key != EMPTY) {
            let slot = self.slot(hash_pair(key), key);
            (self.keys[slot], self.froms[slot]) = (key, from);
        }
    }
}

impl Roots {
    /// Adds a key; returns whether it is new.
    pub(crate) fn insert(&self, key: Pair, from: Option<Pair>) -> bool {
        let shard = &mut *lock(&self.shards[shard_of(hash_pair(key))]);
        shard.insert(key, from.unwrap_or(EMPTY))
    }

    /// Adds the pending keys and calls `visit` with each new one.
    pub(crate) fn insert_all(&self, pending: &mut Pending, mut visit: impl FnMut(Pair)) {
        for (shard, keys) in self.shards.iter().zip(&mut pending.0) {
            if keys.is_empty() {
                continue;
            }
            let shard = &mut *lock(shard);
            if !shard.keys.is_empty() {
                // Prefetch the home slots: these loads are independent, so the processor overlaps their
                // cache misses. `black_box` keeps the compiler from removing them.
                let homes = keys.iter().map(|(key, _)| shard.keys[shard.home(hash_pair(*key))]);
                std::hint::black_box(homes.fold(0, |all, key| all ^ key));
            }
            for (key, from) in keys.drain(..) {
                if shard.insert(key, from) {
                    visit(key);
                }
            }
        }
    }

    /// The key from which a key was first reached.
    pub(crate) fn from(&self, key: Pair) -> Option<Pair> {
        let hash = hash_pair(key);
        let shard = lock(&self.shards[shard_of(hash)]);
        // An empty shard has no slots to probe.
        if shard.used == 0 {
            return None;
        }
        let slot = shard.slot(hash, key);
        Some(shard.froms[slot]).filter(|from| *from != EMPTY)
    }

    pub(crate) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).used as u64).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        let of = |shard: &Mutex<Shard>| {
            let shard = lock(shard);
            (shard.keys.capacity() + shard.froms.capacity()) * size_of::<Pair>()
        };
        self.shards.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_once_and_knows_where_it_came_from() {
        let roots = Roots::default();
        assert!(roots.insert(pair(0, 0), None));
        for n in 1..3000 {
            let key = pair(n, n / 5);
            assert!(roots.insert(key, Some(pair(n - 1, (n - 1) / 5))));
            assert!(!roots.insert(key, None));
        }
        assert_eq!((roots.len(), roots.from(pair(0, 0))), (3000, None));
        let (mut pending, mut new) = (Pending::default(), Vec::new());
        for n in 2990..3010 {
            pending.push(pair(n, n / 5), pair(0, 0));
            pending.push(pair(n, n / 5), pair(1, 1));
        }
        roots.insert_all(&mut pending, |key| new.push(unpair(key).0));
        new.sort_unstable();
        assert_eq!(new, (3000..3010).collect::<Vec<_>>());
        assert_eq!(roots.from(pair(3005, 601)), Some(pair(0, 0)));
        for n in 1..3000 {
            let from = roots.from(pair(n, n / 5));
            assert_eq!(from.map(unpair), Some((n - 1, (n - 1) / 5)));
        }
    }
}
