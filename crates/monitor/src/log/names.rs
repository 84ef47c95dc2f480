//! Words and their numbers.
//!
//! Short words, which are nearly all, are compared as integers. Their table uses open addressing, is at most
//! half full, and is searched without reading the bytes of the words.
//!
//! Tables grow within a budget. If no memory is left, new words get the number 0, and [`Names::is_full`]
//! returns true.

use raddle_budget::Budget;
use rustc_hash::FxHashMap;

/// A word of at most 15 bytes: the first byte is the lowest, and the highest byte is the length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Short(u128);

impl Short {
    pub(super) const MOST: usize = 15;

    /// The word of the first `len` bytes, at most [`Short::MOST`]; the first byte is the lowest.
    #[inline]
    pub(super) fn new(bytes: u128, len: u32) -> Short {
        Short(bytes & ((1 << (8 * len)) - 1) | u128::from(len) << 120)
    }

    fn of(word: &[u8]) -> Option<Short> {
        let mut bytes = [0; 16];
        bytes.get_mut(..word.len()).filter(|_| word.len() <= Short::MOST)?.copy_from_slice(word);
        Some(Short::new(u128::from_le_bytes(bytes), word.len() as u32))
    }

    /// Marks a free slot: not a word.
    const NONE: Short = Short(0);

    /// A hash: all its bits depend on all bits of the word.
    #[inline]
    fn hash(self) -> usize {
        const MIX: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
        let (low, high) = (self.0 as u64 ^ MIX[0], (self.0 >> 64) as u64 ^ MIX[1]);
        let product = u128::from(low) * u128::from(high);
        (product as u64 ^ (product >> 64) as u64) as usize
    }

    fn bytes(self) -> ([u8; 16], usize) {
        (self.0.to_le_bytes(), (self.0 >> 120) as usize)
    }
}

/// Words, numbered in the order of their first use.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// The table of short words; its size is a power of two.
    short: Vec<(Short, u32)>,
    shorts: usize,
    long: FxHashMap<Box<[u8]>, u32>,
    /// All words, one after the other, and the end of each.
    text: String,
    ends: Vec<usize>,
    budget: Budget,
    is_full: bool,
}

impl Names {
    pub(super) fn within(budget: &Budget) -> Names {
        Names { budget: budget.clone(), ..Names::default() }
    }

    /// Whether no memory was left for a word.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn word(&self, number: u32) -> Option<&str> {
        let end = *self.ends.get(number as usize)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        Some(&self.text[start..end])
    }

    /// Whether the budget allows this many more bytes.
    fn affords(&mut self, bytes: usize) -> bool {
        self.is_full |= !self.budget.affords(bytes as u64);
        !self.is_full
    }

    pub(super) fn number(&mut self, word: &[u8]) -> u32 {
        match Short::of(word) {
            Some(short) => self.short_number(short),
            None => match self.long.get(word) {
                Some(number) => *number,
                None => self.add_long(word),
            },
        }
    }

    #[cold]
    fn add_long(&mut self, word: &[u8]) -> u32 {
        if self.long.len() == self.long.capacity() {
            // The hash table has one control byte per entry.
            let entry = size_of::<(Box<[u8]>, u32)>() + 1;
            if !self.affords(self.long.capacity() * 8 / 7 * 2 * entry) {
                return 0;
            }
        }
        let number = self.add(word);
        self.long.insert(word.into(), number);
        number
    }

    #[inline]
    pub(super) fn short_number(&mut self, word: Short) -> u32 {
        if !self.short.is_empty() {
            let (found, number) = self.short[self.slot(word)];
            if found == word {
                return number;
            }
        }
        self.add_short(word)
    }

    /// The slot that holds a word, or the free slot for it. The table must not be empty.
    #[inline]
    fn slot(&self, word: Short) -> usize {
        let mask = self.short.len() - 1;
        let mut slot = word.hash() & mask;
        while self.short[slot].0 != word && self.short[slot].0 != Short::NONE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn add_short(&mut self, word: Short) -> u32 {
        if 2 * (self.shorts + 1) > self.short.len() {
            let size = (2 * self.short.len()).max(1 << 8);
            if !self.affords(size * size_of::<(Short, u32)>()) {
                return 0;
            }
            let old = std::mem::replace(&mut self.short, vec![(Short::NONE, 0); size]);
            for (word, number) in old.into_iter().filter(|(word, _)| *word != Short::NONE) {
                let slot = self.slot(word);
                self.short[slot] = (word, number);
            }
        }
        let (bytes, len) = word.bytes();
        let (number, slot) = (self.add(&bytes[..len]), self.slot(word));
        self.short[slot] = (word, number);
        self.shorts += 1;
        number
    }

    #[cold]
    fn add(&mut self, word: &[u8]) -> u32 {
        self.text.push_str(&String::from_utf8_lossy(word));
        self.ends.push(self.text.len());
        self.ends.len() as u32 - 1
    }
}
