//! Words and the undo log.
//!
//! All that an execution changes lives in one flat array of 64-bit words. [`Trail::set`] logs the
//! old value, [`Trail::backtrack`] restores to a mark: the price of going back is the number of
//! changes since, and there is one kind of change. The idea is the trail of SAT solvers.
//!
//! Invariant: a word outside the log's reach (reserved but never `set` on the current path) is
//! zero, except where [`Trail::set_dead_block`] was used on words that another, logged word says to be
//! meaningless.

/// The place of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Word(u32);

impl Word {
    /// The `n`-th word from here.
    #[inline]
    #[must_use]
    pub const fn at(self, n: u32) -> Word {
        Word(self.0 + n)
    }

    pub const fn index(self) -> u64 {
        self.0 as u64
    }

    /// The word that [`Word::index`] named.
    #[inline]
    pub const fn from_index(index: u64) -> Word {
        Word(index as u32)
    }
}

/// A moment to go back to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(usize);

impl Mark {
    /// Before the first change.
    pub const START: Mark = Mark(0);

    /// How many changes there were.
    pub const fn index(self) -> u64 {
        self.0 as u64
    }

    /// The mark that [`Mark::index`] named.
    pub const fn from_index(index: u64) -> Mark {
        Mark(index as usize)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Trail {
    words: Vec<u64>,
    log: Vec<(Word, u64)>,
}

impl Trail {
    /// Reserves `count` zeroed words, for good.
    pub fn reserve(&mut self, count: u32) -> Word {
        let first = self.words.len();
        assert!(first + count as usize <= u32::MAX as usize, "the machine's state outgrew 32 GiB");
        self.words.resize(first + count as usize, 0);
        Word(first as u32)
    }

    /// How many words there are.
    pub fn len(&self) -> u64 {
        self.words.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    #[inline]
    pub fn get(&self, word: Word) -> u64 {
        self.words[word.0 as usize]
    }

    /// The `N` words from `word` on: one look at the bounds for all of them.
    #[inline(always)]
    pub fn block<const N: usize>(&self, word: Word) -> &[u64; N] {
        let words = &self.words[word.0 as usize..];
        words.first_chunk().unwrap_or_else(|| panic!("{N} words at {word:?} are not reserved"))
    }

    #[inline]
    pub fn set(&mut self, word: Word, value: u64) {
        let slot = &mut self.words[word.0 as usize];
        if *slot != value {
            self.log.push((word, *slot));
            *slot = value;
        }
    }

    /// Changes `N` words from `word` on without logging: only for words that are meaningless before
    /// this change and after it is gone back over, because a logged word (a length, a status) says so.
    #[inline(always)]
    pub fn set_dead_block<const N: usize>(&mut self, word: Word, values: [u64; N]) {
        self.words[word.0 as usize..][..N].copy_from_slice(&values);
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Undoes every change since `mark`.
    #[inline]
    pub fn backtrack(&mut self, mark: Mark) {
        for (word, old) in self.log.drain(mark.0..).rev() {
            self.words[word.0 as usize] = old;
        }
    }

    /// The changes since `mark`, oldest first: each word with its value before.
    pub fn changes(&self, mark: Mark) -> &[(Word, u64)] {
        self.log.get(mark.0..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backtrack_restores_in_reverse() {
        let mut trail = Trail::default();
        let w = trail.reserve(2);
        trail.set(w, 1);
        let mark = trail.mark();
        trail.set(w, 2);
        trail.set(w, 3);
        trail.set(w.at(1), 9);
        trail.backtrack(mark);
        assert_eq!((trail.get(w), trail.get(w.at(1))), (1, 0));
    }
}
