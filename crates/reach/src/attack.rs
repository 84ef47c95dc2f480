//! The state of an attack on robustness.
//!
//! Bouajjani, Derevenetc, Meyer, *Checking and Enforcing Robustness against TSO* (ESOP 2013); paper 004,
//! figure 5, has the same. A program is not robust iff it has a computation
//! `τ1 · store · τ2 · load · τ3 · flush · τ4` in which one thread, the attacker, delays `store` past
//! `load`, all other threads run under SC, and every event of `τ3 · flush` happens after `load`. So the
//! search adds one of these to each SC state:
//! - nothing, in `τ1`;
//! - the *window*, in `τ2`: the attacker, its delayed store, and its later stores, which only its own loads
//!   see. Operations that need an empty buffer cannot happen in the window;
//! - the *chain*, in `τ3`: the attacker has stopped. The other threads act only with events that happen
//!   after `load`. To decide this, the chain records the threads that have acted since, and the bytes they
//!   touched.
//!
//! An access to the bytes of `store` in the chain closes the cycle: then `flush` happens after `load` as
//! well. `flush` takes place when no other thread holds the memory lock
//! ([`raddle_ir::Program::memory_lock`]); the thread that holds it may go on in the chain until it
//! releases the lock.
//!
//! Deviation: the papers let the other threads do anything in the window. Here they act in the window only
//! with events that happen after a load that the attacker made in it. This loses no attack. Other threads
//! do not see the delayed stores, so none of their events happens after such a store. An event of theirs
//! that happens after none of the loads can therefore be moved before `store`, in the same order, and the
//! rest of the computation stays as it is.

use crate::delay::Delayed;
use crate::past::{Past, Range};
use raddle_machine::code::Pc;
use raddle_machine::codec::{put, take};
use raddle_machine::{ThreadId, Touch};

/// The attacker and its delayed store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Delay {
    pub thread: ThreadId,
    pub store: Pc,
    pub range: Range,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub delay: Delay,
    /// The attacker's delayed stores: the newest one to each range of bytes.
    pub own: Delayed,
    /// The events that happen after the attacker's loads in the window.
    pub past: Past,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    pub delay: Delay,
    pub load: Pc,
    /// The events that happen after `load`.
    pub past: Past,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum Attack {
    #[default]
    None,
    Window(Window),
    Chain(Chain),
}

impl Window {
    pub(crate) fn begin(delay: Delay, own: Delayed) -> Window {
        Window { delay, own, past: Past::default() }
    }
}

impl Chain {
    /// The chain that begins with this load.
    pub(crate) fn begin(delay: Delay, load: Pc, touch: &Touch) -> Chain {
        Chain { delay, load, past: Past::of_load(touch) }
    }
}

impl Attack {
    /// The window, if the thread is the attacker in it.
    pub(crate) fn window_of(&self, thread: ThreadId) -> Option<&Window> {
        match self {
            Attack::Window(window) if window.delay.thread == thread => Some(window),
            _ => None,
        }
    }

    pub(crate) fn chain(&self) -> Option<&Chain> {
        match self {
            Attack::Chain(chain) => Some(chain),
            _ => None,
        }
    }

    /// Whether a thread has stopped for good: the attacker in the chain.
    pub(crate) fn has_stopped(&self, thread: ThreadId) -> bool {
        self.chain().is_some_and(|chain| chain.delay.thread == thread)
    }

    /// Whether the attack allows a thread to make this access.
    pub(crate) fn allows(&self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        match self {
            Attack::None => true,
            Attack::Window(Window { delay, past, .. }) => {
                delay.thread == thread || past.reaches(thread, touch)
            }
            Attack::Chain(Chain { delay, past, .. }) => {
                delay.thread != thread && past.reaches(thread, touch)
            }
        }
    }

    /// Records an event of a thread. Returns whether the cycle is closed.
    pub(crate) fn note(&mut self, thread: ThreadId, touch: Option<&Touch>) -> bool {
        match self {
            Attack::None => false,
            Attack::Window(Window { delay, past, .. }) => {
                // The attacker does not become a member: only its loads of memory count, since its stores
                // are delayed and not visible.
                match touch {
                    Some(touch) if delay.thread == thread => past.touch(touch),
                    None if delay.thread == thread => {}
                    _ => past.note(thread, touch),
                }
                false
            }
            Attack::Chain(Chain { delay, past, .. }) => {
                past.note(thread, touch);
                past.has_touched(&delay.range)
            }
        }
    }

    pub(crate) fn past(&self) -> Option<&Past> {
        match self {
            Attack::None => None,
            Attack::Window(Window { past, .. }) | Attack::Chain(Chain { past, .. }) => Some(past),
        }
    }

    pub(crate) fn past_mut(&mut self) -> Option<&mut Past> {
        match self {
            Attack::None => None,
            Attack::Window(Window { past, .. }) | Attack::Chain(Chain { past, .. }) => Some(past),
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let (tag, delay, past) = match self {
            Attack::None => return put(out, 0),
            Attack::Window(window) => (1, &window.delay, &window.past),
            Attack::Chain(chain) => (2, &chain.delay, &chain.past),
        };
        put(out, tag);
        put(out, delay.thread.0.into());
        put(out, delay.store.0.into());
        put(out, delay.range.start);
        put(out, delay.range.end - delay.range.start);
        past.encode(out);
        match self {
            Attack::None => {}
            Attack::Window(window) => window.own.encode(out),
            Attack::Chain(chain) => put(out, chain.load.0.into()),
        }
    }

    pub(crate) fn decode(bytes: &mut &[u8]) -> Attack {
        let tag = take(bytes);
        if tag == 0 {
            return Attack::None;
        }
        let (thread, store) = (ThreadId(take(bytes) as u32), Pc(take(bytes) as u32));
        let start = take(bytes);
        let delay = Delay { thread, store, range: Range { start, end: start + take(bytes) } };
        let past = Past::decode(bytes);
        if tag == 1 {
            let mut own = Delayed::default();
            own.decode(bytes);
            return Attack::Window(Window { delay, own, past });
        }
        Attack::Chain(Chain { delay, load: Pc(take(bytes) as u32), past })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(addr: u64, writes: bool) -> Touch {
        Touch { addr, bytes: 4, writes }
    }

    fn delay() -> Delay {
        Delay { thread: ThreadId(0), store: Pc(1), range: Range::new(100, 4) }
    }

    #[test]
    fn only_what_happens_after_the_load_is_allowed() {
        let mut attack = Attack::Chain(Chain::begin(delay(), Pc(2), &touch(200, false)));
        let other = ThreadId(1);
        assert!(!attack.allows(other, Some(&touch(200, false))));
        assert!(!attack.allows(ThreadId(0), Some(&touch(200, true))));
        assert!(attack.allows(other, Some(&touch(200, true))));
        assert!(!attack.note(other, Some(&touch(200, true))));
        assert!(attack.allows(other, None));
        assert!(attack.note(other, Some(&touch(100, false))));
        let mut bytes = Vec::new();
        attack.encode(&mut bytes);
        assert_eq!(Attack::decode(&mut bytes.as_slice()), attack);
    }

    #[test]
    fn others_wait_for_a_load_of_the_window() {
        let mut attack = Attack::Window(Window::begin(delay(), Delayed::default()));
        let (attacker, other) = (ThreadId(0), ThreadId(1));
        assert!(attack.allows(attacker, None));
        assert!(!attack.allows(other, Some(&touch(200, true))));
        assert!(!attack.note(attacker, Some(&touch(200, false))));
        assert!(attack.allows(other, Some(&touch(200, true))));
        assert!(!attack.allows(other, None));
        assert!(!attack.note(other, Some(&touch(200, true))));
        assert!(attack.allows(other, None) && attack.allows(attacker, None));
        let mut bytes = Vec::new();
        attack.encode(&mut bytes);
        assert_eq!(Attack::decode(&mut bytes.as_slice()), attack);
    }
}
