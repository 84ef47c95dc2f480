//! The happens-after relation of an attack: which threads and which bytes are after its loads.
//!
//! An event happens after an earlier one if both belong to the same thread, or if both touch a common
//! byte and one of them writes it, or transitively through other events. So it is enough to record the
//! threads that have taken part, and the bytes that were read and written: these decide whether the next
//! event of a thread happens after the recorded ones.

use raddle_machine::codec::{put, take};
use raddle_machine::{ThreadId, Touch};
use smallvec::SmallVec;

/// A range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Range {
    pub start: u64,
    pub end: u64,
}

impl Range {
    pub(crate) fn new(addr: u64, bytes: u32) -> Range {
        Range { start: addr, end: addr.saturating_add(bytes.into()) }
    }

    /// The bytes of an access.
    pub(crate) fn of(touch: &Touch) -> Range {
        Range::new(touch.addr, touch.bytes)
    }

    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// The bytes that were touched, as disjoint ranges in order, each with whether it was written. The form is
/// canonical, because it is part of encoded states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Touched(SmallVec<[(Range, bool); 4]>);

impl Touched {
    /// Whether an access conflicts with a recorded one: they have a byte in common and one is a write.
    fn conflicts(&self, touch: &Touch) -> bool {
        let new = Range::of(touch);
        self.0.iter().any(|(range, written)| range.overlaps(&new) && (*written || touch.writes))
    }

    fn overlaps(&self, range: &Range) -> bool {
        self.0.iter().any(|(touched, _)| touched.overlaps(range))
    }

    fn add(&mut self, touch: &Touch) {
        // The old ranges, cut at the ends of the new one, and the parts of the new one between them.
        let mut cut: SmallVec<[(Range, bool); 8]> = SmallVec::new();
        let new = Range::of(touch);
        let mut next = new.start;
        for (range, written) in self.0.drain(..) {
            if !range.overlaps(&new) {
                cut.push((range, written));
                continue;
            }
            let (start, end) = (range.start.max(new.start), range.end.min(new.end));
            if range.start < start {
                cut.push((Range { start: range.start, end: start }, written));
            }
            if next < start {
                cut.push((Range { start: next, end: start }, touch.writes));
            }
            cut.push((Range { start, end }, written || touch.writes));
            if end < range.end {
                cut.push((Range { start: end, end: range.end }, written));
            }
            next = end;
        }
        if next < new.end {
            cut.push((Range { start: next, end: new.end }, touch.writes));
        }
        // Adjacent ranges of the same kind are merged, so that equal sets have equal encodings.
        cut.sort_unstable();
        for (range, written) in cut {
            match self.0.last_mut() {
                Some((last, same)) if last.end == range.start && *same == written => {
                    last.end = range.end;
                }
                _ => self.0.push((range, written)),
            }
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        put(out, self.0.len() as u64);
        for (range, written) in &self.0 {
            put(out, range.start);
            put(out, (range.end - range.start) << 1 | u64::from(*written));
        }
    }

    fn decode(bytes: &mut &[u8]) -> Touched {
        let mut touched = Touched::default();
        for _ in 0..take(bytes) {
            let (start, rest) = (take(bytes), take(bytes));
            touched.0.push((Range { start, end: start + (rest >> 1) }, rest & 1 == 1));
        }
        touched
    }
}

/// The threads and bytes of the events recorded so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Past {
    touched: Touched,
    /// The threads that have taken part, as a bit set of their numbers.
    members: SmallVec<[u64; 1]>,
}

impl Past {
    /// Whether one of these bytes was touched.
    pub(crate) fn has_touched(&self, range: &Range) -> bool {
        self.touched.overlaps(range)
    }

    /// The relation from one load.
    pub(crate) fn of_load(load: &Touch) -> Past {
        let mut past = Past::default();
        past.touch(load);
        past
    }

    pub(crate) fn is_member(&self, thread: ThreadId) -> bool {
        let word = self.members.get(thread.0 as usize / 64);
        word.is_some_and(|word| word >> (thread.0 % 64) & 1 == 1)
    }

    /// Records that all later events of the thread happen after the recorded ones.
    pub(crate) fn join(&mut self, thread: ThreadId) {
        let word = thread.0 as usize / 64;
        if self.members.len() <= word {
            self.members.resize(word + 1, 0);
        }
        self.members[word] |= 1 << (thread.0 % 64);
    }

    /// Records an access: later accesses that conflict with it happen after it.
    pub(crate) fn touch(&mut self, touch: &Touch) {
        self.touched.add(touch);
    }

    /// Whether an access conflicts with a recorded one.
    pub(crate) fn conflicts(&self, touch: &Touch) -> bool {
        self.touched.conflicts(touch)
    }

    /// Whether the next event of a thread, with this access, happens after a recorded one.
    pub(crate) fn reaches(&self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        self.is_member(thread) || touch.is_some_and(|touch| self.conflicts(touch))
    }

    /// Records an event of a thread.
    pub(crate) fn note(&mut self, thread: ThreadId, touch: Option<&Touch>) {
        self.join(thread);
        if let Some(touch) = touch {
            self.touch(touch);
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        self.touched.encode(out);
        put(out, self.members.len() as u64);
        self.members.iter().for_each(|word| put(out, *word));
    }

    pub(crate) fn decode(bytes: &mut &[u8]) -> Past {
        let touched = Touched::decode(bytes);
        let members = (0..take(bytes)).map(|_| take(bytes)).collect();
        Past { touched, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(addr: u64, bytes: u32, writes: bool) -> Touch {
        Touch { addr, bytes, writes }
    }

    #[test]
    fn runs_are_split_and_joined() {
        let mut touched = Touched::default();
        touched.add(&touch(8, 4, false));
        touched.add(&touch(4, 4, false));
        assert_eq!(touched.0.as_slice(), [(Range { start: 4, end: 12 }, false)]);
        touched.add(&touch(6, 8, true));
        assert_eq!(
            touched.0.as_slice(),
            [(Range { start: 4, end: 6 }, false), (Range { start: 6, end: 14 }, true)]
        );
        assert!(touched.conflicts(&touch(13, 1, false)));
        assert!(!touched.conflicts(&touch(4, 2, false)));
        assert!(touched.conflicts(&touch(4, 1, true)));
    }

    #[test]
    fn threads_and_bytes_are_followed() {
        let mut past = Past::of_load(&touch(200, 4, false));
        let (one, other) = (ThreadId(1), ThreadId(2));
        assert!(!past.reaches(one, Some(&touch(200, 4, false))));
        assert!(past.reaches(one, Some(&touch(200, 4, true))));
        past.note(one, Some(&touch(200, 4, true)));
        assert!(past.reaches(one, None) && !past.reaches(other, None));
        assert!(past.reaches(other, Some(&touch(202, 1, false))));
        let mut bytes = Vec::new();
        past.encode(&mut bytes);
        assert_eq!(Past::decode(&mut bytes.as_slice()), past);
    }
}
