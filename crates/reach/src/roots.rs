//! The set of states: pairs of numbers, each with the pair that it was first reached from.
//!
//! A pair is its own name, so nothing is looked up anywhere else: keys lie in the open table itself, and
//! to find one again takes one line of memory. Spread over shards by their hash, each under a lock.
//! Tables grow by half at a time: what is not used of a large one is never more than half.

use crate::tables::{Number, hash_pair, lock};
use std::sync::Mutex;

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;
/// No pair: numbers have 31 bits.
const EMPTY: u64 = u64::MAX;

/// Two numbers in one word.
pub type Pair = u64;

pub fn pair(a: Number, b: Number) -> Pair {
    u64::from(a) << 32 | u64::from(b)
}

pub fn unpair(pair: Pair) -> (Number, Number) {
    ((pair >> 32) as u32, pair as u32)
}

#[derive(Debug, Default)]
pub struct Roots {
    shards: [Mutex<Shard>; SHARDS],
}

/// Keys that a worker is going to add, by shard, with where they were reached from.
///
/// Nearly every look into a large table has to wait for memory. Many keys at a time wait together.
#[derive(Debug, Default)]
pub struct Pending([Vec<(Pair, Pair)>; SHARDS]);

impl Pending {
    pub fn push(&mut self, key: Pair, from: Pair) {
        self.0[shard_of(hash_pair(key))].push((key, from));
    }
}

#[derive(Debug, Default)]
struct Shard {
    keys: Vec<Pair>,
    /// Where each key was reached from; `EMPTY` for nowhere.
    froms: Vec<Pair>,
    used: usize,
}

/// The high bits of a hash choose the shard, those below them the slot.
fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

impl Shard {
    /// Where the search for a key begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        let spread = u128::from(hash << SHARD_BITS) * self.keys.len() as u128;
        (spread >> 64) as usize
    }

    /// The slot of a key: where it is, or where it would go.
    #[inline]
    fn slot(&self, hash: u64, key: Pair) -> usize {
        let mut slot = self.home(hash);
        while self.keys[slot] != key && self.keys[slot] != EMPTY {
            slot += 1;
            if slot == self.keys.len() {
                slot = 0;
            }
        }
        slot
    }

    /// Whether a key is new; if so it is added.
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
    /// Whether a key is new; if so it is added.
    pub fn insert(&self, key: Pair, from: Option<Pair>) -> bool {
        let shard = &mut *lock(&self.shards[shard_of(hash_pair(key))]);
        shard.insert(key, from.unwrap_or(EMPTY))
    }

    /// Adds what is pending; each key that is new is given to `visit`.
    pub fn insert_all(&self, pending: &mut Pending, mut visit: impl FnMut(Pair)) {
        for (shard, keys) in self.shards.iter().zip(&mut pending.0) {
            if keys.is_empty() {
                continue;
            }
            let shard = &mut *lock(shard);
            if !shard.keys.is_empty() {
                // These loads do not depend on one another: the machine makes them all at once.
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

    /// Where a key was first reached from.
    pub fn from(&self, key: Pair) -> Option<Pair> {
        let hash = hash_pair(key);
        let shard = lock(&self.shards[shard_of(hash)]);
        if shard.used == 0 {
            return None;
        }
        let slot = shard.slot(hash, key);
        Some(shard.froms[slot]).filter(|from| *from != EMPTY)
    }

    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).used as u64).sum()
    }

    pub fn bytes(&self) -> usize {
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
