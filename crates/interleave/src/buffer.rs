//! Store buffers, on the machine's trail.
//!
//! A thread's stores are numbered in program order. Entry `k` keeps its place for ever, so only the end of
//! the buffer and later changes of an entry need logging. One queue and one queue per location differ only in
//! the entries that may leave: those without an older overlapping entry (PSO), or only the oldest one (TSO).
//! A store-store barrier starts a new *epoch*: no entry leaves before all entries of earlier epochs.

use crate::clock::ClockId;
use raddle_engine::Buffering;
use raddle_machine::{Trail, Word};

/// A buffered store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The number of the store in its thread.
    pub index: u32,
    pub addr: u64,
    pub bytes: u32,
    pub epoch: u32,
    pub value: u128,
    /// The thread's clock when it stored.
    pub clock: ClockId,
    /// The latest load that this store was forwarded to: its position, plus 1.
    pub load: u32,
}

/// The part of an entry that an update needs: the number of the store in its thread, and the latest load that
/// it was forwarded to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub index: u32,
    pub load: u32,
}

impl Entry {
    #[inline(always)]
    pub(crate) fn stored(&self) -> Stored {
        Stored { index: self.index, load: self.load }
    }
}

const CHUNK: u32 = 32;

mod word {
    pub(super) const ADDR: u32 = 0;
    pub(super) const BYTES_EPOCH: u32 = 1;
    pub(super) const VALUE: u32 = 2;
    pub(super) const VALUE_HIGH: u32 = 3;
    /// When the store has left a bounded buffer, the clock of its update: logged.
    pub(super) const CLOCK: u32 = 4;
    /// Logged: the forwarded load, and whether the entry has left.
    pub(super) const LOAD: u32 = 5;
    pub(super) const GONE: u32 = 6;
    pub(super) const COUNT: u32 = 7;
}

/// The numbers of the entries that may be present: `first`, which is present unless the buffer is empty, up
/// to but not including `end`, the next number. One word, so that a store and its update are one logged
/// change each.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    end: u32,
}

impl Span {
    #[inline(always)]
    fn unpack(word: u64) -> Span {
        Span { first: (word >> 32) as u32, end: word as u32 }
    }

    #[inline(always)]
    fn pack(self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.end)
    }
}

/// Whether a buffer with this word is empty.
#[inline(always)]
pub(crate) fn is_empty_span(word: u64) -> bool {
    let Span { first, end } = Span::unpack(word);
    first == end
}

/// The entries that cover some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Covering {
    pub count: u32,
    /// A store newer than those overlaps the bytes without covering them.
    pub partly: bool,
    /// The number of the newest one, if there is one.
    pub newest: u32,
}

/// The buffer of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    span: Word,
    chunks: Vec<Word>,
}

impl Buffer {
    /// The buffer whose span is the word at `span`.
    pub(crate) fn new(span: Word) -> Buffer {
        Buffer { span, chunks: Vec::new() }
    }

    #[inline(always)]
    fn span(&self, trail: &Trail) -> Span {
        Span::unpack(trail.get(self.span))
    }

    /// The number of stores that the thread has made.
    pub(crate) fn stores(&self, trail: &Trail) -> u32 {
        self.span(trail).end
    }

    #[inline]
    fn entry_word(&self, index: u32) -> Word {
        self.chunks[(index / CHUNK) as usize].at(index % CHUNK * word::COUNT)
    }

    /// Adds a store. Its number is the next one; `entry.index` is ignored.
    #[inline]
    pub(crate) fn push(&mut self, trail: &mut Trail, entry: Entry) {
        let Span { first, end } = self.span(trail);
        if (end / CHUNK) as usize == self.chunks.len() {
            self.chunks.push(trail.reserve(CHUNK * word::COUNT));
        }
        // The words are dead before `end` grows and after it shrinks again, so they are not logged.
        let words: [u64; word::COUNT as usize] = [
            entry.addr,
            u64::from(entry.epoch) << 32 | u64::from(entry.bytes),
            entry.value as u64,
            (entry.value >> 64) as u64,
            entry.clock.0.into(),
            0,
            0,
        ];
        trail.set_dead_block(self.entry_word(end), words);
        trail.set(self.span, Span { first, end: end + 1 }.pack());
    }

    #[inline(always)]
    fn words<'a>(&self, trail: &'a Trail, index: u32) -> &'a [u64; word::COUNT as usize] {
        trail.block(self.entry_word(index))
    }

    #[inline(always)]
    fn read(&self, trail: &Trail, index: u32) -> Entry {
        let words = self.words(trail, index);
        let word = |offset: u32| words[offset as usize];
        let bytes_epoch = word(word::BYTES_EPOCH);
        Entry {
            index,
            addr: word(word::ADDR),
            bytes: bytes_epoch as u32,
            epoch: (bytes_epoch >> 32) as u32,
            value: u128::from(word(word::VALUE_HIGH)) << 64 | u128::from(word(word::VALUE)),
            clock: ClockId(word(word::CLOCK) as u32),
            load: word(word::LOAD) as u32,
        }
    }

    /// The oldest entry.
    #[inline(always)]
    pub(crate) fn oldest(&self, trail: &Trail) -> Option<Entry> {
        let Span { first, end } = self.span(trail);
        (first != end).then(|| self.read(trail, first))
    }

    /// The address of the oldest entry.
    #[inline(always)]
    pub(crate) fn oldest_address(&self, trail: &Trail) -> Option<u64> {
        let Span { first, end } = self.span(trail);
        (first != end).then(|| trail.get(self.entry_word(first).at(word::ADDR)))
    }

    /// The value of at most eight bytes of an entry.
    #[inline]
    pub(crate) fn value_at(&self, trail: &Trail, index: u32, addr: u64, bytes: u32) -> u64 {
        let Entry { addr: start, value, .. } = self.read(trail, index);
        let mask = if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 };
        (value >> ((addr - start) * 8)) as u64 & mask
    }

    /// The entries that cover the bytes.
    #[inline]
    pub(crate) fn covering(&self, trail: &Trail, addr: u64, bytes: u32) -> Covering {
        let mut covering = Covering { count: 0, partly: false, newest: 0 };
        let past = addr.saturating_add(bytes.into());
        let Span { first, end } = self.span(trail);
        for index in first..end {
            let words = self.words(trail, index);
            let start = words[word::ADDR as usize];
            let stop = start + u64::from(words[word::BYTES_EPOCH as usize] as u32);
            let touches = start < past && addr < stop;
            if touches && words[word::GONE as usize] == 0 {
                match start <= addr && past <= stop {
                    true => {
                        covering.count += 1;
                        covering.newest = index;
                        covering.partly = false;
                    }
                    false => covering.partly = true,
                }
            }
        }
        covering
    }

    /// All entries, oldest first.
    pub(crate) fn oldest_first<'a>(&'a self, trail: &'a Trail) -> impl Iterator<Item = Entry> + 'a {
        let Span { first, end } = self.span(trail);
        (first..end)
            .filter(|index| trail.get(self.entry_word(*index).at(word::GONE)) == 0)
            .map(|index| self.read(trail, index))
    }

    /// The oldest entry with this address.
    #[inline]
    pub(crate) fn oldest_at(&self, trail: &Trail, addr: u64) -> Option<Entry> {
        let Span { first, end } = self.span(trail);
        let found = (first..end).find(|index| {
            let words = self.words(trail, *index);
            words[word::ADDR as usize] == addr && words[word::GONE as usize] == 0
        });
        found.map(|index| self.read(trail, index))
    }

    /// The numbers and addresses of the entries that may leave now, oldest first.
    #[inline]
    pub(crate) fn leaving<'a>(
        &'a self,
        trail: &'a Trail,
        buffering: Buffering,
    ) -> impl Iterator<Item = (u32, u64)> + 'a {
        let Span { first, end } = self.span(trail);
        let end = if buffering == Buffering::PerLocation { end } else { end.min(first + 1) };
        (first..end)
            .filter(move |index| self.may_leave(trail, first, *index))
            .map(|index| (index, self.words(trail, index)[word::ADDR as usize]))
    }

    /// Whether an entry is present and no older one, from `first` on, has to leave before it.
    #[inline]
    fn may_leave(&self, trail: &Trail, first: u32, index: u32) -> bool {
        let place = |index: u32| {
            let words = self.words(trail, index);
            let (addr, bytes_epoch) =
                (words[word::ADDR as usize], words[word::BYTES_EPOCH as usize]);
            let end = addr + u64::from(bytes_epoch as u32);
            (addr, end, bytes_epoch >> 32, words[word::GONE as usize] == 0)
        };
        let (addr, end, epoch, there) = place(index);
        there
            && !(first..index).any(|older| {
                let (other, other_end, other_epoch, there) = place(older);
                there && (other_epoch < epoch || other < end && addr < other_end)
            })
    }

    #[inline]
    pub(crate) fn remove(&mut self, trail: &mut Trail, index: u32) {
        let Span { mut first, end } = self.span(trail);
        if index != first {
            return trail.set(self.entry_word(index).at(word::GONE), 1);
        }
        // Entries before `first` need no mark. Skip those that left earlier: `first` must be present.
        first += 1;
        while first < end && trail.get(self.entry_word(first).at(word::GONE)) == 1 {
            first += 1;
        }
        trail.set(self.span, Span { first, end }.pack());
    }

    /// Whether a store is still in the buffer.
    pub(crate) fn has(&self, trail: &Trail, index: u32) -> bool {
        index >= self.span(trail).first && trail.get(self.entry_word(index).at(word::GONE)) == 0
    }

    /// The entry of a store, if it is in the buffer.
    pub(crate) fn get(&self, trail: &Trail, index: u32) -> Option<Entry> {
        let is_stored = index < self.span(trail).end;
        (is_stored && self.has(trail, index)).then(|| self.read(trail, index))
    }

    /// Address and length of a store, even if it has left.
    pub(crate) fn bytes_of(&self, trail: &Trail, index: u32) -> (u64, u32) {
        let base = self.entry_word(index);
        (trail.get(base.at(word::ADDR)), trail.get(base.at(word::BYTES_EPOCH)) as u32)
    }

    /// Replaces the clock of a store that has left by the clock of its update.
    pub(crate) fn left_with(&self, trail: &mut Trail, index: u32, clock: ClockId) {
        trail.set(self.entry_word(index).at(word::CLOCK), clock.0.into());
    }

    /// The clock of a store: that of its thread when it stored, or, after [`Buffer::left_with`], that of its
    /// update.
    pub(crate) fn clock(&self, trail: &Trail, index: u32) -> ClockId {
        ClockId(trail.get(self.entry_word(index).at(word::CLOCK)) as u32)
    }

    /// The newest load that the entry was forwarded to: its position plus 1, or 0.
    pub(crate) fn forwarded(&self, trail: &Trail, index: u32) -> u32 {
        trail.get(self.entry_word(index).at(word::LOAD)) as u32
    }

    /// Notes that the entry was forwarded to the load at `position`.
    pub(crate) fn forwarded_to(&self, trail: &mut Trail, index: u32, position: u32) {
        trail.set(self.entry_word(index).at(word::LOAD), u64::from(position) + 1);
    }
}
