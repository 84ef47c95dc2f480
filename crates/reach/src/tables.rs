//! Tables that give equal items equal numbers, shared by the workers of a search.
//!
//! Items are distributed over shards by their hash. A shard is a dense array under a lock, with an index
//! of 32-bit slots (open addressing) beside it. An item's number is `place * SHARDS + shard`, where
//! `place` is its position in the array. Items are never removed.
//!
//! The index is our own because `hashbrown::HashTable<u32>` takes more memory: 5 bytes per slot at a load
//! of 7/8 against 4 at 3/4. That is 109 bytes per state instead of 102 in a space of 3,500 states, and the
//! same 25 in one of 430,000. Both execute about as many instructions (hashbrown between 0.7 % fewer and
//! 0.2 % more).

use crate::roots::{Pair, pair, unpair};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const SHARD_BITS: u32 = 5;
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// The number of items in a shard from which on the table counts as full. Numbers have 31 bits, and workers check
/// the limit only between chunks of states, so a part of what the place bits allow stays free.
const NEARLY_FULL: usize = (1 << (31 - SHARD_BITS)) - (1 << 20);

/// The number of an item in a table.
pub(crate) type Number = u32;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of a worker ends the search; the data it leaves behind is consistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The highest bits of a hash choose the shard.
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// The low bits of a slot hold a place plus 1; the bits above hold a part of the hash.
const PLACE_BITS: u32 = 32 - SHARD_BITS;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// The part of a hash that a slot holds. These bits choose neither the shard nor, in an index of any
/// possible size, the slot.
fn tag(hash: u64) -> u32 {
    ((hash >> (64 - 2 * SHARD_BITS)) as u32) << PLACE_BITS
}

/// An index with open addressing. A slot is 0, or a place plus 1 with a part of the hash. The part of the
/// hash rules out most unequal items without a look into the array.
#[derive(Debug, Default)]
struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    /// The place of an equal item, or the free slot where it would be inserted. The index must not be empty.
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

    /// Makes room for one more item; `hash` returns the hash of the item at a place. Must precede `find`:
    /// growing moves the slots.
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

    /// Enters an item into a slot that `find` returned. Places are consecutive, so `place` equals `used`.
    fn put(&mut self, slot: usize, hash: u64, place: u32) {
        self.slots[slot] = tag(hash) | (place + 1);
        self.used += 1;
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }
}

/// Appends an item to an array that grows by a quarter at a time. Doubling would leave up to half of a
/// large array unused.
fn append<T>(array: &mut Vec<T>, item: T) {
    if array.len() == array.capacity() {
        array.reserve_exact(array.len() / 4 + 16);
    }
    array.push(item);
}

fn number(place: u32, shard: usize) -> Number {
    place << SHARD_BITS | shard as u32
}

/// The shard and the place of an item, from its number.
fn parts(number: Number) -> (usize, usize) {
    (number as usize % SHARDS, (number >> SHARD_BITS) as usize)
}

/// Strings of bytes.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    shards: [Mutex<StringShard>; SHARDS],
}

#[derive(Debug, Default)]
struct StringShard {
    bytes: Vec<u8>,
    /// The end of each string; a string starts at the end of the one before.
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
    pub(crate) fn number(&self, bytes: &[u8]) -> Number {
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

    pub(crate) fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| lock(shard).ends.len() >= NEARLY_FULL)
    }

    /// Replaces `out` by the string with this number.
    pub(crate) fn read(&self, number: Number, out: &mut Vec<u8>) {
        let (shard, place) = parts(number);
        let shard = lock(&self.shards[shard]);
        out.clear();
        out.extend_from_slice(string(&shard.bytes, &shard.ends, place as u32));
    }

    pub(crate) fn bytes(&self) -> usize {
        let of = |shard: &Mutex<StringShard>| {
            let shard = lock(shard);
            shard.bytes.capacity() + shard.ends.capacity() * 8 + shard.index.bytes()
        };
        self.shards.iter().map(of).sum()
    }
}

/// Pairs of numbers.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    shards: [Mutex<PairShard>; SHARDS],
}

#[derive(Debug, Default)]
struct PairShard {
    pairs: Vec<Pair>,
    index: Index,
}

/// Folded multiplication: the exclusive or of the two halves of a product. All bits of the result depend
/// on the key well, and the tables use the high and the low ones.
pub(crate) fn hash_pair(pair: u64) -> u64 {
    let product = u128::from(pair ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

impl Pairs {
    pub(crate) fn number(&self, a: Number, b: Number) -> Number {
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

    pub(crate) fn get(&self, number: Number) -> (Number, Number) {
        let (shard, place) = parts(number);
        unpair(lock(&self.shards[shard]).pairs[place])
    }

    pub(crate) fn bytes(&self) -> usize {
        let of = |shard: &Mutex<PairShard>| {
            let shard = lock(shard);
            shard.pairs.capacity() * 8 + shard.index.bytes()
        };
        self.shards.iter().map(of).sum()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| lock(shard).pairs.len() >= NEARLY_FULL)
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
