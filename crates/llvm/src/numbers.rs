//! A map from the numbers in a text to 32-bit ids.
//!
//! Metadata is usually numbered without gaps, so an array is enough. But the language does not require
//! this, and a single large number must not determine the memory usage. Numbers that a text of this length
//! cannot reach without gaps go to a hash map.

use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(crate) struct Numbers {
    dense: Vec<u32>,
    limit: usize,
    sparse: FxHashMap<u32, u32>,
}

const NONE: u32 = u32::MAX;

impl Numbers {
    /// A map for a text of `len` bytes.
    pub(crate) fn for_text(len: usize) -> Numbers {
        /// `!0=!{}` and its line break: every definition is at least this long.
        const SHORTEST: usize = 7;
        Numbers { dense: Vec::new(), limit: len / SHORTEST, sparse: FxHashMap::default() }
    }

    pub(crate) fn get(&self, number: u32) -> Option<u32> {
        let dense = self.dense.get(number as usize).copied().filter(|id| *id != NONE);
        dense.or_else(|| self.sparse.get(&number).copied())
    }

    pub(crate) fn insert(&mut self, number: u32, id: u32) {
        let index = number as usize;
        if index >= self.limit {
            self.sparse.insert(number, id);
            return;
        }
        if index >= self.dense.len() {
            self.dense.resize(index + 1, NONE);
        }
        self.dense[index] = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_take_no_more_room_than_small_ones() {
        let mut numbers = Numbers::for_text(70);
        numbers.insert(3, 1);
        numbers.insert(4_000_000_000, 2);
        assert_eq!(numbers.get(3), Some(1));
        assert_eq!(numbers.get(2), None);
        assert_eq!(numbers.get(4_000_000_000), Some(2));
        assert!(numbers.dense.len() <= 10);
    }
}
