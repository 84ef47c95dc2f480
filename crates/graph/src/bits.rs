//! Sets of events as bit masks of a fixed number of words.

/// A set of at most `64 * W` events, by their numbers in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    pub const EMPTY: Bits<W> = Bits([0; W]);

    #[inline]
    pub fn just(n: usize) -> Bits<W> {
        let mut set = Bits::EMPTY;
        set.insert(n);
        set
    }

    #[inline]
    pub fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    #[inline]
    pub fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    #[inline]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub fn meets(&self, other: &Bits<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    #[inline]
    #[must_use]
    pub fn and(mut self, other: &Bits<W>) -> Bits<W> {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
        self
    }

    #[inline]
    #[must_use]
    pub fn or(mut self, other: &Bits<W>) -> Bits<W> {
        self.add(other);
        self
    }

    #[inline]
    #[must_use]
    pub fn minus(mut self, other: &Bits<W>) -> Bits<W> {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
        self
    }

    #[inline]
    pub fn add(&mut self, other: &Bits<W>) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    /// The members, in ascending order.
    #[inline]
    pub fn iter(self) -> Members<W> {
        Members { left: self.0, word: 0 }
    }
}

pub(crate) struct Members<const W: usize> {
    left: [u64; W],
    word: usize,
}

impl<const W: usize> Iterator for Members<W> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let left = self.left[self.word];
            if left != 0 {
                self.left[self.word] = left & (left - 1);
                return Some(self.word * 64 + left.trailing_zeros() as usize);
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
        for n in [127, 3, 64, 0] {
            set.insert(n);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 64, 127]);
        assert_eq!(set.count(), 4);
        assert!(set.minus(&Bits::just(3)).and(&Bits::just(3)).is_empty());
    }
}
