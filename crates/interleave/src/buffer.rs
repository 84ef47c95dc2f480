//! Store buffers, on the machine's trail.
//!
//! A thread's stores are numbered in program order; entry `k` has a place of its own for good, so
//! only the end of the buffer and what happens to an entry after its birth need logging. Whether
//! the buffer is one queue or one per location is in which entries may leave: an entry may leave if
//! no older one overlaps it (PSO), or if there is no older one at all (TSO). A store-store barrier
//! starts a new *epoch*: no entry leaves before all of earlier epochs have left.

use crate::clock::ClockId;
use crate::model::Buffering;
use raddle_machine::{Trail, Word};

/// A buffered store.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which store of its thread it is.
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

const CHUNK: u32 = 32;

mod word {
    pub const ADDR: u32 = 0;
    pub const BYTES_EPOCH: u32 = 1;
    pub const VALUE: u32 = 2;
    pub const VALUE_HIGH: u32 = 3;
    /// When the store has left a bounded buffer, the clock of its update: logged.
    pub const CLOCK: u32 = 4;
    /// Logged: the forwarded load, and whether the entry has left.
    pub const LOAD: u32 = 5;
    pub const GONE: u32 = 6;
    pub const COUNT: u32 = 7;
}

/// The buffer of one thread. Entries from `first` on may still be there, `end` is the next number.
#[derive(Clone, Debug)]
pub struct Buffer {
    first: Word,
    end: Word,
    /// How many are there.
    live: Word,
    chunks: Vec<Word>,
}

impl Buffer {
    /// The buffer that keeps its three words at `base`.
    pub fn new(base: Word) -> Buffer {
        Buffer { first: base, end: base.at(1), live: base.at(2), chunks: Vec::new() }
    }

    #[inline]
    pub fn is_empty(&self, trail: &Trail) -> bool {
        trail.get(self.live) == 0
    }

    /// How many stores the thread has made.
    pub fn stores(&self, trail: &Trail) -> u32 {
        trail.get(self.end) as u32
    }

    #[inline]
    fn entry_word(&self, index: u32) -> Word {
        self.chunks[(index / CHUNK) as usize].at(index % CHUNK * word::COUNT)
    }

    pub fn push(&mut self, trail: &mut Trail, entry: Entry) {
        if (entry.index / CHUNK) as usize == self.chunks.len() {
            self.chunks.push(trail.reserve(CHUNK * word::COUNT));
        }
        let base = self.entry_word(entry.index);
        // Dead before `end` grows and after it shrinks again, so not logged.
        trail.set_dead(base.at(word::ADDR), entry.addr);
        let bytes_epoch = u64::from(entry.epoch) << 32 | u64::from(entry.bytes);
        trail.set_dead(base.at(word::BYTES_EPOCH), bytes_epoch);
        trail.set_dead(base.at(word::VALUE), entry.value as u64);
        trail.set_dead(base.at(word::VALUE_HIGH), (entry.value >> 64) as u64);
        trail.set_dead(base.at(word::CLOCK), entry.clock.0.into());
        trail.set_dead(base.at(word::LOAD), 0);
        trail.set_dead(base.at(word::GONE), 0);
        trail.set(self.end, u64::from(entry.index) + 1);
        trail.set(self.live, trail.get(self.live) + 1);
    }

    #[inline(always)]
    fn read(&self, trail: &Trail, index: u32) -> Entry {
        let base = self.entry_word(index);
        let word = |offset| trail.get(base.at(offset));
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

    /// The oldest entry that is there.
    #[inline(always)]
    pub fn oldest(&self, trail: &Trail) -> Option<Entry> {
        // `first` never rests on an entry that has left.
        (!self.is_empty(trail)).then(|| self.read(trail, trail.get(self.first) as u32))
    }

    /// The address of the oldest entry that is there.
    #[inline(always)]
    pub fn oldest_address(&self, trail: &Trail) -> Option<u64> {
        (!self.is_empty(trail)).then(|| {
            let first = trail.get(self.first) as u32;
            trail.get(self.entry_word(first).at(word::ADDR))
        })
    }

    /// How many entries cover the bytes, and whether some touch them without covering them.
    #[inline]
    pub fn covering(&self, trail: &Trail, addr: u64, bytes: u32) -> (u32, bool) {
        let (mut covering, mut partly) = (0, false);
        let past = addr.saturating_add(bytes.into());
        let (first, end) = (trail.get(self.first) as u32, trail.get(self.end) as u32);
        for index in first..end {
            let base = self.entry_word(index);
            let start = trail.get(base.at(word::ADDR));
            let stop = start + u64::from(trail.get(base.at(word::BYTES_EPOCH)) as u32);
            let touches = start < past && addr < stop;
            if touches && trail.get(base.at(word::GONE)) == 0 {
                match start <= addr && past <= stop {
                    true => covering += 1,
                    false => partly = true,
                }
            }
        }
        (covering, partly)
    }

    /// The entries that are there, newest first.
    pub fn newest_first<'a>(&'a self, trail: &'a Trail) -> impl Iterator<Item = Entry> + 'a {
        let (first, end) = (trail.get(self.first) as u32, trail.get(self.end) as u32);
        self.present(trail, (first..end).rev())
    }

    /// The entries that are there, oldest first.
    pub fn oldest_first<'a>(&'a self, trail: &'a Trail) -> impl Iterator<Item = Entry> + 'a {
        let (first, end) = (trail.get(self.first) as u32, trail.get(self.end) as u32);
        self.present(trail, first..end)
    }

    fn present<'a>(
        &'a self,
        trail: &'a Trail,
        range: impl Iterator<Item = u32> + 'a,
    ) -> impl Iterator<Item = Entry> + 'a {
        range
            .filter(|index| trail.get(self.entry_word(*index).at(word::GONE)) == 0)
            .map(|index| self.read(trail, index))
    }

    /// The entries that may leave now, oldest first.
    pub fn leaving<'a>(
        &'a self,
        trail: &'a Trail,
        buffering: Buffering,
    ) -> impl Iterator<Item = Entry> + 'a {
        let oldest = self.oldest_first(trail).next();
        self.oldest_first(trail).filter(move |entry| {
            let is_oldest = oldest.is_some_and(|oldest| oldest.index == entry.index);
            is_oldest
                || buffering == Buffering::PerLocation
                    && !self
                        .oldest_first(trail)
                        .take_while(|older| older.index < entry.index)
                        .any(|older| older.epoch < entry.epoch || overlap(&older, entry))
        })
    }

    pub fn remove(&mut self, trail: &mut Trail, index: u32) {
        trail.set(self.live, trail.get(self.live) - 1);
        let (mut first, end) = (trail.get(self.first) as u32, trail.get(self.end) as u32);
        if index != first {
            return trail.set(self.entry_word(index).at(word::GONE), 1);
        }
        // Entries before the first need no mark.
        first += 1;
        while first < end && trail.get(self.entry_word(first).at(word::GONE)) == 1 {
            first += 1;
        }
        trail.set(self.first, first.into());
    }

    /// Whether a store is still there.
    pub fn has(&self, trail: &Trail, index: u32) -> bool {
        u64::from(index) >= trail.get(self.first)
            && trail.get(self.entry_word(index).at(word::GONE)) == 0
    }

    /// Address and length of a store, there or not.
    pub fn bytes_of(&self, trail: &Trail, index: u32) -> (u64, u32) {
        let base = self.entry_word(index);
        (trail.get(base.at(word::ADDR)), trail.get(base.at(word::BYTES_EPOCH)) as u32)
    }

    /// Notes the clock of the update that took a store out.
    pub fn left_with(&self, trail: &mut Trail, index: u32, clock: ClockId) {
        trail.set(self.entry_word(index).at(word::CLOCK), clock.0.into());
    }

    /// The clock noted for a store: its thread's when it stored, or, after
    /// [`Buffer::left_with`], that of its update.
    pub fn clock(&self, trail: &Trail, index: u32) -> ClockId {
        ClockId(trail.get(self.entry_word(index).at(word::CLOCK)) as u32)
    }

    /// Notes that the entry was forwarded to the load at `position`.
    pub fn forwarded_to(&self, trail: &mut Trail, index: u32, position: u32) {
        trail.set(self.entry_word(index).at(word::LOAD), u64::from(position) + 1);
    }
}

fn overlap(a: &Entry, b: &Entry) -> bool {
    a.addr < b.addr + u64::from(b.bytes) && b.addr < a.addr + u64::from(a.bytes)
}
