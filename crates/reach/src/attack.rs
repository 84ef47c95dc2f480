//! The state of an attack on robustness.
//!
//! Bouajjani, Derevenetc, Meyer, *Checking and Enforcing Robustness against TSO* (ESOP 2013); paper
//! 004, figure 5, has the same. A program is not robust iff there is a computation
//! `τ1 · store · τ2 · load · τ3 · flush · τ4` in which one thread, the attacker, delays `store` past
//! `load`, all others go on under SC, and every event of `τ3 · flush` happens after `load`. So the
//! states of the SC system are searched together with:
//! - nothing, in `τ1`;
//! - the *window*, in `τ2`: whose store is delayed, and its later stores, which only its own loads
//!   see. What would empty the buffer cannot happen in it;
//! - the *chain*, in `τ3`: the attacker has stopped; the others act only with events that happen
//!   after `load`. For that it is noted which threads have acted since, and which bytes they touched.
//!
//! Touching the bytes of `store` in the chain is what closes the cycle: `flush` then happens after
//! `load` as well.

use crate::delay::Delayed;
use raddle_machine::ThreadId;
use raddle_machine::code::Pc;
use raddle_machine::codec::{put, take};
use smallvec::SmallVec;

/// A run of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Range {
    pub start: u64,
    pub end: u64,
}

impl Range {
    pub fn new(addr: u64, bytes: u32) -> Range {
        Range { start: addr, end: addr.saturating_add(bytes.into()) }
    }

    pub fn overlaps(&self, other: &Range) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// One access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    pub range: Range,
    pub writes: bool,
}

/// The bytes that a chain has touched, as disjoint runs in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Touched(SmallVec<[(Range, bool); 4]>);

impl Touched {
    /// Whether an access happens after one of those before: the same byte, one of them a write.
    fn conflicts(&self, touch: &Touch) -> bool {
        self.0
            .iter()
            .any(|(range, written)| range.overlaps(&touch.range) && (*written || touch.writes))
    }

    fn add(&mut self, touch: &Touch) {
        // The parts of the new run that are not yet known, between those that are.
        let mut cut: SmallVec<[(Range, bool); 8]> = SmallVec::new();
        let mut next = touch.range.start;
        for (range, written) in self.0.drain(..) {
            if !range.overlaps(&touch.range) {
                cut.push((range, written));
                continue;
            }
            let (start, end) = (range.start.max(touch.range.start), range.end.min(touch.range.end));
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
        if next < touch.range.end {
            cut.push((Range { start: next, end: touch.range.end }, touch.writes));
        }
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

/// Which store of which thread is delayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    pub thread: ThreadId,
    pub store: Pc,
    pub range: Range,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    pub delay: Delay,
    /// The attacker's delayed stores: the newest to each place.
    pub own: Delayed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    pub delay: Delay,
    pub load: Pc,
    touched: Touched,
    /// The threads that have acted, by number.
    members: SmallVec<[u64; 1]>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Attack {
    #[default]
    None,
    Window(Window),
    Chain(Chain),
}

impl Chain {
    /// The chain begins with a load.
    pub fn begin(delay: Delay, load: Pc, range: Range) -> Chain {
        let mut touched = Touched::default();
        touched.add(&Touch { range, writes: false });
        Chain { delay, load, touched, members: SmallVec::new() }
    }

    pub fn is_member(&self, thread: ThreadId) -> bool {
        let word = self.members.get(thread.0 as usize / 64);
        word.is_some_and(|word| word >> (thread.0 % 64) & 1 == 1)
    }

    pub fn join(&mut self, thread: ThreadId) {
        let word = thread.0 as usize / 64;
        if self.members.len() <= word {
            self.members.resize(word + 1, 0);
        }
        self.members[word] |= 1 << (thread.0 % 64);
    }

    /// Whether a thread may act so: it is in the chain, or the access brings it there.
    pub fn allows(&self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        thread != self.delay.thread
            && (self.is_member(thread) || touch.is_some_and(|touch| self.touched.conflicts(touch)))
    }

    /// Notes an access of the chain. True if it closes the cycle.
    pub fn note(&mut self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        self.join(thread);
        let Some(touch) = touch else { return false };
        self.touched.add(touch);
        touch.range.overlaps(&self.delay.range)
    }
}

impl Attack {
    /// The window, if the thread is the attacker in it.
    pub fn window_of(&self, thread: ThreadId) -> Option<&Window> {
        match self {
            Attack::Window(window) if window.delay.thread == thread => Some(window),
            _ => None,
        }
    }

    pub fn chain(&self) -> Option<&Chain> {
        match self {
            Attack::Chain(chain) => Some(chain),
            _ => None,
        }
    }

    pub fn encode(&self, out: &mut Vec<u8>) {
        let (tag, delay) = match self {
            Attack::None => return put(out, 0),
            Attack::Window(window) => (1, &window.delay),
            Attack::Chain(chain) => (2, &chain.delay),
        };
        put(out, tag);
        put(out, delay.thread.0.into());
        put(out, delay.store.0.into());
        put(out, delay.range.start);
        put(out, delay.range.end - delay.range.start);
        match self {
            Attack::None => {}
            Attack::Window(window) => window.own.encode(out),
            Attack::Chain(chain) => {
                put(out, chain.load.0.into());
                chain.touched.encode(out);
                put(out, chain.members.len() as u64);
                chain.members.iter().for_each(|word| put(out, *word));
            }
        }
    }

    pub fn decode(bytes: &mut &[u8]) -> Attack {
        let tag = take(bytes);
        if tag == 0 {
            return Attack::None;
        }
        let (thread, store) = (ThreadId(take(bytes) as u32), Pc(take(bytes) as u32));
        let start = take(bytes);
        let delay = Delay { thread, store, range: Range { start, end: start + take(bytes) } };
        if tag == 1 {
            let mut own = Delayed::default();
            own.decode(bytes);
            return Attack::Window(Window { delay, own });
        }
        let load = Pc(take(bytes) as u32);
        let touched = Touched::decode(bytes);
        let members = (0..take(bytes)).map(|_| take(bytes)).collect();
        Attack::Chain(Chain { delay, load, touched, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(addr: u64, bytes: u32, writes: bool) -> Touch {
        Touch { range: Range::new(addr, bytes), writes }
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
    fn only_what_happens_after_the_load_is_allowed() {
        let delay = Delay { thread: ThreadId(0), store: Pc(1), range: Range::new(100, 4) };
        let mut chain = Chain::begin(delay, Pc(2), Range::new(200, 4));
        let other = ThreadId(1);
        assert!(!chain.allows(other, Some(&touch(200, 4, false))));
        assert!(!chain.allows(ThreadId(0), Some(&touch(200, 4, true))));
        assert!(chain.allows(other, Some(&touch(200, 4, true))));
        assert!(!chain.note(other, Some(&touch(200, 4, true))));
        assert!(chain.allows(other, None));
        assert!(chain.note(other, Some(&touch(100, 4, false))));
        let attack = Attack::Chain(chain);
        let mut bytes = Vec::new();
        attack.encode(&mut bytes);
        assert_eq!(Attack::decode(&mut bytes.as_slice()), attack);
    }
}
