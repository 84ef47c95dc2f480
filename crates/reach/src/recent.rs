//! A cache of pairs that a worker used recently.
//!
//! Most inner nodes of trees are few and occur again and again. The cache saves the worker a lookup in
//! the table that all workers share. It is direct-mapped: a pair replaces the one before it in its slot.

use crate::roots::{Pair, pair};
use crate::tables::{Number, Pairs, hash_pair};

const BITS: u32 = 12;
/// Marks a free slot. Not a pair, because numbers have 31 bits.
const EMPTY: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Recent(Vec<(Pair, Number)>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(vec![(EMPTY, 0); 1 << BITS])
    }
}

impl Recent {
    /// The number of a pair in the table. Numbers never change, so the cache is never stale.
    #[inline]
    pub(crate) fn number(&mut self, a: Number, b: Number, pairs: &Pairs) -> Number {
        let pair = pair(a, b);
        let slot = &mut self.0[(hash_pair(pair) >> (64 - BITS)) as usize];
        if slot.0 != pair {
            *slot = (pair, pairs.number(a, b));
        }
        slot.1
    }
}
