//! Monitors: they derive from sequentially consistent runs the behaviour of a machine with store buffers.
//!
//! Paper 001: Burnim, Sen, Stergiou, *Sound and Complete Monitoring of Sequential Consistency in Relaxed
//! Memory Models* (2010). A monitor reads the events of an execution under SC. It keeps every store in a
//! buffer as long as no event shows that the store has left it. It reports a *violation* when an access of
//! another thread comes after a store that may still be in the buffer: with a slightly longer delay, the
//! access would have missed the store, and program order and conflicts would form a cycle.
//!
//! | module | subject |
//! |---|---|
//! | [`event`] | threads, addresses and operations |
//! | [`stream`] | the paper's monitors, figures 4 and 5: a stream of events in, violations out |
//! | [`causal`] | the same, judged on the causal past of each access, with undo: for searches that show one order of each trace |
//! | [`overtaking`] | a cheap test whether a monitor could find anything |
//! | [`cells`] | bytes that all accesses touch together |
//! | [`log`] | recorded events, one per line |
//!
//! The stream monitor finds a violation on *some* order of the events (the paper's theorems 5 and 6): a
//! read by a third thread that comes early may flush the store. The findings of [`causal`] do not depend on
//! the order. This crate does not depend on an engine.

pub mod causal;
pub mod cells;
pub mod event;
pub mod log;
pub mod overtaking;
pub mod stream;

pub use causal::{Causal, Delayed};
pub use cells::Cells;
pub use event::{Access, Address, Buffers, Kind, Op, Site, Thread};
pub use log::Found;
pub use overtaking::Overtaking;
pub use stream::{Monitor, Violation};
