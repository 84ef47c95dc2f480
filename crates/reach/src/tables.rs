//! Tables that give equal things equal numbers, shared by the workers of a search.
//!
//! Things are spread over shards by their hash; a shard is a dense array under a lock, with an open
//! index of 32-bit places beside it. Numbers are `place * SHARDS + shard`. Nothing is ever removed.
//!
//! The index is our own because `hashbrown::HashTable<u32>` takes more memory: 5 bytes a slot at 7/8
//! against 4 at 3/4, which is 102 to 109 bytes a state in a space of 3,500 states, and the same 25 in
//! one of 430,000. It executes as many instructions (between 0.7 % fewer and 0.2 % more).

use crate::roots::{Pair, pair, unpair};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;

/// Things in a shard from which on numbers, which have 32 bits, may run out soon.
const MOST: usize = 1 << (32 - SHARD_BITS - 1);

/// The number of something in a table.
pub type Number = u32;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked takes the search with it; what it left is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// Bits of a slot that hold a place plus 1; those above hold a part of the hash.
const PLACE_BITS: u32 = 32 - SHARD_BITS;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// The part of a hash that a slot holds: bits that choose neither the shard nor, in a table of any
/// size that there is, the slot.
fn tag(hash: u64) -> u32 {
    ((hash >> (64 - 2 * SHARD_BITS)) as u32) << PLACE_BITS
}

/// An open index: a slot is 0, or a place plus 1 with a part of its hash, so that hardly any place
/// is looked up in vain.
#[derive(Debug, Default)]
struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    /// The place of an equal thing, or the slot where it would go.
    #[inline]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let (mask, tag) = (self.slots.len() - 1, tag(hash));
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                held if held & !PLACE == tag && same((held & PLACE) - 1) => {
                    return Ok((held & PLACE) - 1);
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Makes room for one more; `hash` gives the hash of what is at a place.
    #[inline]
    fn grow(&mut self, hash: impl Fn(u32) -> u64) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.double(hash);
        }
    }

    #[cold]
    fn double(&mut self, hash: impl Fn(u32) -> u64) {
        let size = (self.slots.len() * 2).max(16);
        self.slots = Vec::new();
        self.slots.resize(size, 0);
        for place in 0..self.used as u32 {
            let hash = hash(place);
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = tag(hash) | (place + 1);
        }
    }

    /// Places are given one after the other.
    fn put(&mut self, slot: usize, hash: u64, place: u32) {
        self.slots[slot] = tag(hash) | (place + 1);
        self.used += 1;
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }
}

/// Appends something to an array that grows by a quarter at a time: doubling would leave half of a
/// large table empty.
fn append<T>(array: &mut Vec<T>, thing: T) {
    if array.len() == array.capacity() {
        array.reserve_exact(array.len() / 4 + 16);
    }
    array.push(thing);
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
    hash_pair(hasher.finish())
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
                append(ends, all.len() as u64);
                index.put(slot, hash, place);
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

/// Pairs of numbers.
#[derive(Debug, Default)]
pub struct Pairs {
    shards: [Mutex<PairShard>; SHARDS],
}

#[derive(Debug, Default)]
struct PairShard {
    pairs: Vec<Pair>,
    index: Index,
}

/// The two halves of a product, one over the other: good in all bits.
pub(crate) fn hash_pair(pair: u64) -> u64 {
    let product = u128::from(pair ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

impl Pairs {
    pub fn number(&self, a: Number, b: Number) -> Number {
        let pair = pair(a, b);
        let hash = hash_pair(pair);
        let shard = shard_of(hash);
        let PairShard { pairs, index } = &mut *lock(&self.shards[shard]);
        index.grow(|place| hash_pair(pairs[place as usize]));
        match index.find(hash, |place| pairs[place as usize] == pair) {
            Ok(place) => number(place, shard),
            Err(slot) => {
                let place = pairs.len() as u32;
                append(pairs, pair);
                index.put(slot, hash, place);
                number(place, shard)
            }
        }
    }

    pub fn get(&self, number: Number) -> (Number, Number) {
        let (shard, place) = parts(number);
        unpair(lock(&self.shards[shard]).pairs[place])
    }

    pub fn bytes(&self) -> usize {
        let of = |shard: &Mutex<PairShard>| {
            let shard = lock(shard);
            shard.pairs.capacity() * 8 + shard.index.bytes()
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
        let (strings, pairs) = (Strings::default(), Pairs::default());
        let text = |n: u32| format!("thing {n}").into_bytes();
        let numbers: Vec<Number> = (0..2000).map(|n| strings.number(&text(n))).collect();
        let mut out = Vec::new();
        for (n, number) in numbers.iter().enumerate() {
            assert_eq!(strings.number(&text(n as u32)), *number);
            strings.read(*number, &mut out);
            assert_eq!(out, text(n as u32));
        }
        let numbers: Vec<Number> = (0..2000).map(|n| pairs.number(n, n / 7)).collect();
        for (n, number) in (0..2000).zip(numbers) {
            assert_eq!(pairs.number(n, n / 7), number);
            assert_eq!(pairs.get(number), (n, n / 7));
        }
    }
}
