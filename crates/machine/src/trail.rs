//! Words and the undo log.
//!
//! All that an execution changes lives in one flat array of 64-bit words. [`Trail::set`] logs the
//! old value, [`Trail::backtrack`] restores to a mark: the price of going back is the number of
//! changes since, and there is one kind of change. The idea is the trail of SAT solvers.
//!
//! A word that changed several times needs only its oldest value to be restored. Where a thread takes
//! many local steps in a row, [`Trail::compact`] leaves that: the log grows with what changed, not with
//! how often.
//!
//! Invariant: a word outside the log's reach (reserved but never `set` on the current path) is
//! zero, except where [`Trail::set_dead_block`] was used on words that another, logged word says to be
//! meaningless.

use raddle_budget::Budget;

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
    budget: Budget,
}

impl Trail {
    /// An empty trail, whose words and log are paid for by a budget.
    pub fn new(budget: &Budget) -> Trail {
        Trail { budget: budget.clone(), ..Trail::default() }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Whether there is memory for so many more words. If not, the budget is spent, and all work on it
    /// is to be abandoned.
    #[must_use]
    pub fn affords(&self, words: u64) -> bool {
        self.budget.affords(words * size_of::<u64>() as u64)
    }

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

    /// How many bytes its words and its log take.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&self.words[..]) + size_of_val(&self.log[..])) as u64
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

    /// Forgets all but the oldest change of each word since `mark`, separately for the stretches between
    /// `stops`, which are places in the log in rising order, and between changes that `splits` names.
    /// Moves the stops to where those places are afterwards.
    pub fn compact(&mut self, mark: Mark, stops: &mut [Mark], splits: impl Fn(Word) -> bool) {
        let mut seen = vec![0_u64; self.words.len().div_ceil(64)];
        let (mut kept, mut stretch) = (mark.0, mark.0);
        let mut stops = stops.iter_mut().peekable();
        for at in mark.0..self.log.len() {
            let (word, old) = self.log[at];
            let mut ends = splits(word);
            while let Some(stop) = stops.next_if(|stop| stop.0 <= at) {
                stop.0 = kept;
                ends = true;
            }
            if ends {
                for (word, _) in &self.log[stretch..kept] {
                    seen[word.0 as usize / 64] = 0;
                }
                stretch = kept;
            }
            let (bits, bit) = (&mut seen[word.0 as usize / 64], 1 << (word.0 % 64));
            if *bits & bit == 0 {
                *bits |= bit;
                self.log[kept] = (word, old);
                kept += 1;
            }
        }
        stops.for_each(|stop| stop.0 = kept);
        self.log.truncate(kept);
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
    fn compaction_keeps_the_oldest_change_of_each_stretch() {
        let mut trail = Trail::default();
        let w = trail.reserve(3);
        let changes = [(0, 1), (1, 1), (0, 2), (0, 3), (1, 2), (2, 1), (0, 4), (0, 5), (1, 3)];
        let start = trail.mark();
        for (n, value) in changes {
            trail.set(w.at(n), value);
        }
        let log = |trail: &Trail| -> Vec<(u64, u64)> {
            trail
                .changes(start)
                .iter()
                .map(|(word, old)| (word.index() - w.index(), *old))
                .collect()
        };
        let mut stops = [Mark(3), Mark(9)];
        trail.compact(start, &mut stops, |word| word == w.at(2));
        assert_eq!(log(&trail), [(0, 0), (1, 0), (0, 2), (1, 1), (2, 0), (0, 3), (1, 2)]);
        assert_eq!(stops, [Mark(2), Mark(7)]);
        trail.compact(start, &mut [], |_| false);
        assert_eq!(log(&trail), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!([0, 1, 2].map(|n| trail.get(w.at(n))), [5, 3, 1]);
        trail.backtrack(start);
        assert_eq!([0, 1, 2].map(|n| trail.get(w.at(n))), [0, 0, 0]);
    }

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
