//! The stores that a thread has performed and that are not visible to other threads yet, in order.
//!
//! A load of the thread sees them as in the interleaving engine: it reads from the newest store that
//! covers it. If a newer store overlaps the load without covering it, the load waits until that store has
//! left the list.

use raddle_machine::codec::{put, take};
use smallvec::SmallVec;

/// A store that is not visible to other threads yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub addr: u64,
    pub bytes: u32,
    pub value: u128,
}

/// The part of some bytes that delayed stores cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cover {
    /// None of them: the load reads memory.
    Nothing,
    /// All of them, with this value.
    Value(u128),
    /// The newest store that overlaps them covers only a part: the load has to wait.
    Partly,
}

/// The delayed stores of a thread, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Delayed(SmallVec<[Entry; 1]>);

impl Delayed {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn oldest(&self) -> Option<Entry> {
        self.0.first().copied()
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    /// Like [`Delayed::push`], for stores that never leave the list. Only the newest store to the same bytes
    /// matters then, so the list does not grow in loops.
    pub(crate) fn push_newest(&mut self, entry: Entry) {
        self.0.retain(|old| (old.addr, old.bytes) != (entry.addr, entry.bytes));
        self.0.push(entry);
    }

    pub(crate) fn pop(&mut self) -> Option<Entry> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    pub(crate) fn cover(&self, addr: u64, bytes: u32) -> Cover {
        let mut cover = Cover::Nothing;
        let past = addr.saturating_add(bytes.into());
        // From the oldest to the newest: the last entry that overlaps the bytes decides.
        for entry in &self.0 {
            let end = entry.addr.saturating_add(entry.bytes.into());
            if entry.addr >= past || addr >= end {
                continue;
            }
            if entry.addr > addr || end < past {
                cover = Cover::Partly;
                continue;
            }
            let shifted = entry.value >> ((addr - entry.addr) * 8);
            let mask = if bytes >= 16 { u128::MAX } else { (1 << (bytes * 8)) - 1 };
            cover = Cover::Value(shifted & mask);
        }
        cover
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put(out, self.0.len() as u64);
        for entry in &self.0 {
            put(out, entry.addr);
            put(out, entry.bytes.into());
            put(out, entry.value as u64);
            if entry.bytes > 8 {
                put(out, (entry.value >> 64) as u64);
            }
        }
    }

    pub(crate) fn decode(&mut self, bytes: &mut &[u8]) {
        self.0.clear();
        for _ in 0..take(bytes) {
            let (addr, size) = (take(bytes), take(bytes) as u32);
            let low = take(bytes);
            let high = if size > 8 { take(bytes) } else { 0 };
            let value = u128::from(high) << 64 | u128::from(low);
            self.0.push(Entry { addr, bytes: size, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_covering_store_serves_unless_one_touches_in_part() {
        let mut delayed = Delayed::default();
        delayed.push(Entry { addr: 100, bytes: 4, value: 0x0403_0201 });
        delayed.push(Entry { addr: 100, bytes: 4, value: 0x0807_0605 });
        assert_eq!(delayed.cover(100, 4), Cover::Value(0x0807_0605));
        assert_eq!(delayed.cover(102, 1), Cover::Value(7));
        assert_eq!(delayed.cover(98, 4), Cover::Partly);
        assert_eq!(delayed.cover(104, 4), Cover::Nothing);
        delayed.push(Entry { addr: 101, bytes: 1, value: 9 });
        assert_eq!(delayed.cover(100, 4), Cover::Partly);
        assert_eq!(delayed.pop().map(|entry| entry.value), Some(0x0403_0201));
    }

    #[test]
    fn it_is_encoded_and_back() {
        let mut delayed = Delayed::default();
        delayed.push(Entry { addr: 1 << 40, bytes: 16, value: u128::MAX - 1 });
        delayed.push(Entry { addr: 7, bytes: 1, value: 255 });
        let mut bytes = Vec::new();
        delayed.encode(&mut bytes);
        let mut again = Delayed::default();
        again.decode(&mut bytes.as_slice());
        assert_eq!(again, delayed);
    }
}
