//! Tables that give equal things equal numbers, shared by the workers of a search.
//!
//! Things are spread over shards by their hash; a shard is a dense array under a lock, with an open
//! index of 32-bit places beside it. Numbers are `place * SHARDS + shard`. Nothing is ever removed.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;

/// Things in a shard from which on numbers, which have 32 bits, may run out soon.
const MOST: usize = 1 << (32 - SHARD_BITS - 1);

/// The number of something in a table.
pub type Number = u32;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked takes the search with it; what it left is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Spreads a hash over all bits: shards take the high ones, places the low ones.
fn spread(hash: u64) -> u64 {
    let mixed = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// An open index: places plus 1, 0 for none.
#[derive(Debug, Default)]
struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    /// The place of an equal thing, or the slot where it would go.
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                place if same(place - 1) => return Ok(place - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Makes room for one more; `hash` gives the hash of what is at a place.
    fn grow(&mut self, hash: impl Fn(u32) -> u64) {
        if (self.used + 1) * 4 <= self.slots.len() * 3 {
            return;
        }
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        let mask = size - 1;
        for place in old.into_iter().filter(|place| *place != 0) {
            let mut slot = hash(place - 1) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = place;
        }
    }

    fn put(&mut self, slot: usize, place: u32) {
        self.slots[slot] = place + 1;
        self.used += 1;
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }
}

fn number(place: u32, shard: usize) -> Number {
    place << SHARD_BITS | shard as u32
}

/// Where a number's thing is: its shard and its place there.
fn parts(number: Number) -> (usize, usize) {
    (number as usize % SHARDS, (number >> SHARD_BITS) as usize)
}

/// Strings of bytes.
#[derive(Debug, Default)]
pub struct Strings {
    shards: [Mutex<StringShard>; SHARDS],
}

#[derive(Debug, Default)]
struct StringShard {
    bytes: Vec<u8>,
    /// Where each string ends; it starts where the one before ends.
    ends: Vec<u64>,
    index: Index,
}

fn string<'b>(bytes: &'b [u8], ends: &[u64], place: u32) -> &'b [u8] {
    let place = place as usize;
    let start = place.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[place] as usize]
}

fn hash_string(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    spread(hasher.finish())
}

impl Strings {
    pub fn number(&self, bytes: &[u8]) -> Number {
        let hash = hash_string(bytes);
        let shard = shard_of(hash);
        let StringShard { bytes: all, ends, index } = &mut *lock(&self.shards[shard]);
        index.grow(|place| hash_string(string(all, ends, place)));
        match index.find(hash, |place| string(all, ends, place) == bytes) {
            Ok(place) => number(place, shard),
            Err(slot) => {
                let place = ends.len() as u32;
                all.extend_from_slice(bytes);
                ends.push(all.len() as u64);
                index.put(slot, place);
                number(place, shard)
            }
        }
    }

    pub fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| lock(shard).ends.len() >= MOST)
    }

    /// Gives the string of a number to `out`, which is cleared first.
    pub fn read(&self, number: Number, out: &mut Vec<u8>) {
        let (shard, place) = parts(number);
        let shard = lock(&self.shards[shard]);
        out.clear();
        out.extend_from_slice(string(&shard.bytes, &shard.ends, place as u32));
    }

    pub fn bytes(&self) -> usize {
        let of = |shard: &Mutex<StringShard>| {
            let shard = lock(shard);
            shard.bytes.capacity() + shard.ends.capacity() * 8 + shard.index.bytes()
        };
        self.shards.iter().map(of).sum()
    }
}

/// Pairs of numbers, each with a note that the first who brings it may leave.
#[derive(Debug)]
pub struct Pairs {
    shards: [Mutex<PairShard>; SHARDS],
    noted: bool,
}

#[derive(Debug, Default)]
struct PairShard {
    pairs: Vec<u64>,
    notes: Vec<u32>,
    index: Index,
}

fn hash_pair(pair: u64) -> u64 {
    spread(pair.wrapping_mul(0xf135_7aea_2e62_a9c5) ^ pair >> 31)
}

impl Pairs {
    pub fn new(noted: bool) -> Pairs {
        Pairs { shards: Default::default(), noted }
    }

    /// The number of a pair, and whether it is new.
    pub fn number(&self, a: Number, b: Number, note: u32) -> (Number, bool) {
        let pair = u64::from(a) << 32 | u64::from(b);
        let hash = hash_pair(pair);
        let shard = shard_of(hash);
        let PairShard { pairs, notes, index } = &mut *lock(&self.shards[shard]);
        index.grow(|place| hash_pair(pairs[place as usize]));
        match index.find(hash, |place| pairs[place as usize] == pair) {
            Ok(place) => (number(place, shard), false),
            Err(slot) => {
                let place = pairs.len() as u32;
                pairs.push(pair);
                if self.noted {
                    notes.push(note);
                }
                index.put(slot, place);
                (number(place, shard), true)
            }
        }
    }

    pub fn get(&self, number: Number) -> (Number, Number) {
        let (shard, place) = parts(number);
        let pair = lock(&self.shards[shard]).pairs[place];
        ((pair >> 32) as u32, pair as u32)
    }

    pub fn note(&self, number: Number) -> u32 {
        let (shard, place) = parts(number);
        lock(&self.shards[shard]).notes[place]
    }

    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).pairs.len() as u64).sum()
    }

    pub fn bytes(&self) -> usize {
        let of = |shard: &Mutex<PairShard>| {
            let shard = lock(shard);
            shard.pairs.capacity() * 8 + shard.notes.capacity() * 4 + shard.index.bytes()
        };
        self.shards.iter().map(of).sum()
    }

    pub fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| lock(shard).pairs.len() >= MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_equal_numbers_and_come_back() {
        let (strings, pairs) = (Strings::default(), Pairs::new(true));
        let text = |n: u32| format!("thing {n}").into_bytes();
        let numbers: Vec<Number> = (0..2000).map(|n| strings.number(&text(n))).collect();
        let mut out = Vec::new();
        for (n, number) in numbers.iter().enumerate() {
            assert_eq!(strings.number(&text(n as u32)), *number);
            strings.read(*number, &mut out);
            assert_eq!(out, text(n as u32));
        }
        for n in 0..2000u32 {
            let (number, new) = pairs.number(n, n / 7, n + 1);
            assert!(new);
            assert_eq!(pairs.number(n, n / 7, 0), (number, false));
            assert_eq!((pairs.get(number), pairs.note(number)), ((n, n / 7), n + 1));
        }
        assert_eq!(pairs.len(), 2000);
    }
}
