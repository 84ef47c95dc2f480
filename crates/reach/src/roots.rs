//! The set of states: pairs of numbers, each with the pair it was first reached from.
//!
//! A pair is its own key, and keys are stored in the hash table itself (open addressing), so a lookup
//! usually touches one cache line. The keys are distributed over shards by their hash, each shard under
//! a lock. Tables grow by half at a time, so at most half of a large table is free.
//!
//! Several workers find the keys of a level in any order. So that the results do not depend on it, a key then holds the
//! *rank* of the edge it was reached by, until the level ends, and the edge with the smallest rank wins
//! ([`Roots::settle`]). That is the edge by which one worker, which goes through the level in order, would find the key.

use crate::tables::{Number, SHARD_BITS, SHARDS, hash_pair, lock, shard_of};
use std::sync::Mutex;

/// Marks a free slot. Not a pair, because numbers have 31 bits.
const EMPTY: u64 = u64::MAX;

/// Marks a rank in the place of the key that a key was reached from. Free in pairs.
const RANKED: u64 = 1 << 63;
/// Bits of a rank for the number of an edge among those of its state.
const EDGE_BITS: u32 = 27;
const EDGE: u64 = (1 << EDGE_BITS) - 1;

/// Where in a level an edge is: the position of its state, and its number among the edges of that state.
pub(crate) type Rank = u64;

pub(crate) fn rank(position: usize, edge: usize) -> Rank {
    (position as u64) << EDGE_BITS | (edge as u64).min(EDGE)
}

/// The position of the state of an edge.
pub(crate) fn position(rank: Rank) -> usize {
    (rank >> EDGE_BITS) as usize
}

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

/// A key and the edge by which it was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub key: Pair,
    pub rank: Rank,
}

/// Edges that a worker is going to add, by the shards of their keys.
///
/// Nearly every lookup in a large table is a cache miss. The misses of a batch of keys overlap.
#[derive(Debug, Default)]
pub(crate) struct Pending([Vec<Edge>; SHARDS]);

impl Pending {
    pub(crate) fn push(&mut self, key: Pair, rank: Rank) {
        self.0[shard_of(hash_pair(key))].push(Edge { key, rank });
    }
}

#[derive(Debug, Default)]
struct Shard {
    keys: Vec<Pair>,
    /// For each slot: the key it was reached from, a marked rank, or `EMPTY` for the initial state.
    froms: Vec<u64>,
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

    /// Adds a key; returns whether it is new, or was reached by a later edge of the same level.
    #[inline]
    fn insert(&mut self, key: Pair, from: u64) -> bool {
        if (self.used + 1) * 4 > self.keys.len() * 3 {
            self.grow();
        }
        let slot = self.slot(hash_pair(key), key);
        if self.keys[slot] == EMPTY {
            (self.keys[slot], self.froms[slot]) = (key, from);
            self.used += 1;
            return true;
        }
        // Only ranks of this level are marked. Two ranks compare as their edges do.
        let held = self.froms[slot];
        let is_better = from & RANKED != 0 && held & RANKED != 0 && from < held;
        if is_better && held != EMPTY {
            self.froms[slot] = from;
            return true;
        }
        false
    }

    /// Loads the home slots of some keys into the cache: these loads are independent, so the processor overlaps
    /// their misses. `black_box` keeps the compiler from removing them.
    fn prefetch(&self, edges: &[Edge]) {
        if !self.keys.is_empty() {
            let homes = edges.iter().map(|edge| self.keys[self.home(hash_pair(edge.key))]);
            std::hint::black_box(homes.fold(0, |all, key| all ^ key));
        }
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
    /// Adds the initial state.
    pub(crate) fn insert_first(&self, key: Pair) {
        lock(&self.shards[shard_of(hash_pair(key))]).insert(key, EMPTY);
    }

    /// Adds the pending edges of a level's states, and appends those whose key is new to `fresh`. With `ranked`, also
    /// those that are before the edges by which other workers have found the key.
    pub(crate) fn insert_all(
        &self,
        pending: &mut Pending,
        ranked: bool,
        from: impl Fn(Rank) -> Pair,
        fresh: &mut Vec<Edge>,
    ) {
        for (shard, edges) in self.shards.iter().zip(&mut pending.0) {
            if edges.is_empty() {
                continue;
            }
            let shard = &mut *lock(shard);
            shard.prefetch(edges);
            for edge in edges.drain(..) {
                let from = if ranked { RANKED | edge.rank } else { from(edge.rank) };
                if shard.insert(edge.key, from) {
                    fresh.push(edge);
                }
            }
        }
    }

    /// Replaces the ranks of keys by the keys that they were reached from, at the end of a level. Removes the edges
    /// that an earlier one has replaced.
    pub(crate) fn settle(&self, edges: &mut Vec<Edge>, from: impl Fn(Rank) -> Pair) {
        let (mut kept, mut start) = (0, 0);
        while start < edges.len() {
            // A worker adds its edges shard by shard, so there are long runs of one shard.
            let number = shard_of(hash_pair(edges[start].key));
            let run = edges[start..].iter();
            let run = run.take_while(|edge| shard_of(hash_pair(edge.key)) == number).count();
            let shard = &mut *lock(&self.shards[number]);
            shard.prefetch(&edges[start..start + run]);
            for n in start..start + run {
                let Edge { key, rank } = edges[n];
                let slot = shard.slot(hash_pair(key), key);
                if shard.froms[slot] == RANKED | rank {
                    shard.froms[slot] = from(rank);
                    edges[kept] = edges[n];
                    kept += 1;
                }
            }
            start += run;
        }
        edges.truncate(kept);
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
        let key = |n: u32| pair(n, n / 5);
        let add = |keys: std::ops::Range<u32>, ranked| {
            let (mut pending, mut fresh) = (Pending::default(), Vec::new());
            // Twice: the second edge to a key adds nothing.
            for edge in 0..2 {
                keys.clone().for_each(|n| pending.push(key(n), rank(n as usize - 1, edge)));
            }
            roots.insert_all(&mut pending, ranked, |rank| key(position(rank) as u32), &mut fresh);
            fresh
        };
        roots.insert_first(key(0));
        assert_eq!(add(1..3000, false).len(), 2999);
        assert_eq!((roots.len(), roots.from(key(0))), (3000, None));
        let mut fresh = add(2990..3010, true);
        roots.settle(&mut fresh, |rank| key(position(rank) as u32));
        fresh.sort_unstable_by_key(|edge| edge.rank);
        let new: Vec<u32> = fresh.iter().map(|edge| unpair(edge.key).0).collect();
        assert_eq!(new, (3000..3010).collect::<Vec<_>>());
        for n in 1..3010 {
            assert_eq!(roots.from(key(n)).map(unpair), Some((n - 1, (n - 1) / 5)));
        }
    }

    /// Two workers find a key: whoever is first, the edge with the smaller rank stays.
    #[test]
    fn the_first_edge_of_a_level_wins() {
        let parents = [pair(7, 7), pair(8, 8)];
        for order in [[0, 1], [1, 0]] {
            let (roots, key) = (Roots::default(), pair(1, 2));
            let mut found = order.map(|from| {
                let (mut pending, mut fresh) = (Pending::default(), Vec::new());
                pending.push(key, rank(from, 3));
                roots.insert_all(&mut pending, true, |_| unreachable!("ranked"), &mut fresh);
                fresh
            });
            found.iter_mut().for_each(|edges| roots.settle(edges, |rank| parents[position(rank)]));
            assert_eq!(found.concat(), [Edge { key, rank: rank(0, 3) }]);
            assert_eq!(roots.from(key), Some(parents[0]));
        }
    }
}
