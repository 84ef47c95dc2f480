//! Sets of committed events as bit masks of a fixed number of words.

use crate::graph::RowId;
use crate::table::Id;

/// A set of at most `64 * W` committed events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Default for Bits<W> {
    fn default() -> Self {
        Bits::EMPTY
    }
}

impl<const W: usize> Bits<W> {
    pub(crate) const EMPTY: Bits<W> = Bits([0; W]);

    #[inline]
    pub(crate) fn just(row: RowId) -> Bits<W> {
        let mut set = Bits::EMPTY;
        set.insert(row);
        set
    }

    #[inline]
    pub(crate) fn insert(&mut self, row: RowId) {
        let n = row.index();
        self.0[n / 64] |= 1 << (n % 64);
    }

    #[inline]
    pub(crate) fn contains(&self, row: RowId) -> bool {
        let n = row.index();
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub(crate) fn meets(&self, other: &Bits<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    #[inline]
    #[must_use]
    pub(crate) fn and(mut self, other: &Bits<W>) -> Bits<W> {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
        self
    }

    #[inline]
    #[must_use]
    pub(crate) fn or(mut self, other: &Bits<W>) -> Bits<W> {
        self.add(other);
        self
    }

    #[inline]
    #[must_use]
    pub(crate) fn minus(mut self, other: &Bits<W>) -> Bits<W> {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
        self
    }

    #[inline]
    pub(crate) fn add(&mut self, other: &Bits<W>) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    /// The members, in ascending order.
    #[inline]
    pub(crate) fn iter(self) -> Members<W> {
        Members { left: self.0, word: 0 }
    }
}

pub(crate) struct Members<const W: usize> {
    left: [u64; W],
    word: usize,
}

impl<const W: usize> Iterator for Members<W> {
    type Item = RowId;

    #[inline]
    fn next(&mut self) -> Option<RowId> {
        while self.word < W {
            let left = self.left[self.word];
            if left != 0 {
                self.left[self.word] = left & (left - 1);
                return Some(RowId::from_index(self.word * 64 + left.trailing_zeros() as usize));
            }
            self.word += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let mut set: Bits<2> = Bits::EMPTY;
        for row in [127, 3, 64, 0].map(RowId) {
            set.insert(row);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 64, 127].map(RowId));
        assert_eq!(set.count(), 4);
        assert!(set.minus(&Bits::just(RowId(3))).and(&Bits::just(RowId(3))).is_empty());
    }
}
