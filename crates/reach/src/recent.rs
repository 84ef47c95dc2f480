//! Pairs that a worker met recently.
//!
//! Most inner nodes of trees are few and met again and again. A worker that knows their numbers need
//! not ask the table that all share. One place for each: the newest stays.

use crate::roots::{Pair, pair};
use crate::tables::{Number, Pairs, hash_pair};

const BITS: u32 = 12;
/// No pair: numbers have 31 bits.
const EMPTY: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub struct Recent(Vec<(Pair, Number)>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(vec![(EMPTY, 0); 1 << BITS])
    }
}

impl Recent {
    /// The number of a pair in the table.
    #[inline]
    pub fn number(&mut self, a: Number, b: Number, pairs: &Pairs) -> Number {
        let pair = pair(a, b);
        let slot = &mut self.0[(hash_pair(pair) >> (64 - BITS)) as usize];
        if slot.0 != pair {
            *slot = (pair, pairs.number(a, b));
        }
        slot.1
    }
}
