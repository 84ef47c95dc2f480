//! Words and the undo log.
//!
//! The state of an execution is one flat array of 64-bit words. [`Trail::set`] logs the old value, and
//! [`Trail::backtrack`] restores the words to a mark. Going back costs as much as the changes since, and only
//! one kind of change exists. The idea is the trail of SAT solvers.
//!
//! To restore a word that changed several times, its oldest value is enough. Where a thread takes many local
//! steps in a row, [`Trail::compact`] drops the other values: the log grows with the number of changed
//! words, not with the number of changes.
//!
//! Invariant: a word that was reserved but never `set` on the current path is zero. Exception: words that
//! were written with [`Trail::set_dead_block`], and that another, logged word marks as meaningless.

use raddle_budget::Budget;

/// The index of a word.
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

    /// The inverse of [`Word::index`].
    #[inline]
    pub const fn from_index(index: u64) -> Word {
        Word(index as u32)
    }
}

/// A moment to go back to: a length of the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(usize);

impl Mark {
    /// Before the first change.
    pub const START: Mark = Mark(0);

    /// The number of logged changes.
    pub const fn index(self) -> u64 {
        self.0 as u64
    }

    /// The inverse of [`Mark::index`].
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
    /// An empty trail, whose words and log count against a budget.
    pub fn new(budget: &Budget) -> Trail {
        Trail { budget: budget.clone(), ..Trail::default() }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Whether the memory suffices for this many more words. If not, the budget is spent, and all work on it
    /// is abandoned.
    #[must_use]
    pub fn affords(&self, words: u64) -> bool {
        self.budget.affords(words * size_of::<u64>() as u64)
    }

    /// Reserves `count` zeroed words. Backtracking does not free them.
    pub fn reserve(&mut self, count: u32) -> Word {
        let first = self.words.len();
        assert!(first + count as usize <= u32::MAX as usize, "the machine's state outgrew 32 GiB");
        self.words.resize(first + count as usize, 0);
        Word(first as u32)
    }

    /// The number of words.
    pub fn len(&self) -> u64 {
        self.words.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The size of words and log in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&self.words[..]) + size_of_val(&self.log[..])) as u64
    }

    #[inline]
    pub fn get(&self, word: Word) -> u64 {
        self.words[word.0 as usize]
    }

    /// The `N` words from `word` on, with one bounds check for all of them.
    #[inline(always)]
    pub fn block<const N: usize>(&self, word: Word) -> &[u64; N] {
        let words = &self.words[word.0 as usize..];
        words.first_chunk().unwrap_or_else(|| panic!("{N} words at {word:?} are not reserved"))
    }

    #[inline]
    pub fn set(&mut self, word: Word, value: u64) {
        let slot = &mut self.words[word.0 as usize];
        // Writing the same value is not a change. `spin` relies on this too: it finds changed
        // registers in the log.
        if *slot != value {
            self.log.push((word, *slot));
            *slot = value;
        }
    }

    /// Changes `N` words from `word` on without logging. Only for words that are meaningless before this
    /// change and after it is undone, because a logged word (a length, a status) says so.
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
        // Newest first: if a word was logged several times, its oldest value is written last.
        for (word, old) in self.log.drain(mark.0..).rev() {
            self.words[word.0 as usize] = old;
        }
    }

    /// Drops all but the oldest change of each word since `mark`, separately for each stretch of the log.
    /// Stretches end at `stops`, which are places in the log in ascending order, and before the changes of
    /// words for which `splits` holds. Moves the stops to the new indices of their places. So going back to
    /// `mark` or to a stop restores the same words as before.
    pub fn compact(&mut self, mark: Mark, stops: &mut [Mark], splits: impl Fn(Word) -> bool) {
        // One bit per word: logged in the current stretch.
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
                // The entries that were kept are exactly the words with a bit. To clear only those keeps
                // the cost proportional to the log.
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

    /// The changes since `mark`, oldest first: each word with its value before the change.
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
