//! Monitors: from sequentially consistent runs to what a machine with store buffers could do.
//!
//! Paper 001: Burnim, Sen, Stergiou, *Sound and Complete Monitoring of Sequential Consistency in
//! Relaxed Memory Models* (2010). A monitor reads the events of an execution under SC, keeps every
//! store in a buffer for as long as nobody can tell, and reports a *violation* when an access of
//! another thread comes after a store that may still be there: delayed a little longer, the store
//! would have been missed, and program order and conflicts would form a cycle.
//!
//! | module | subject |
//! |---|---|
//! | [`event`] | threads, addresses, what happens |
//! | [`stream`] | the paper's monitors, figures 4 and 5: a stream of events in, violations out |
//! | [`causal`] | the same judged on the causal past of each access, with undo: for searches that show one order of each trace |
//! | [`overtaking`] | whether there is anything for a monitor to find |
//! | [`cells`] | bytes that all accesses touch together |
//! | [`log`] | recorded events, one a line |
//!
//! The stream finds a violation on *some* order of the events (the paper's theorems 5 and 6): a read
//! by a third thread that happens to come early may flush the store. What [`causal`] finds does not
//! depend on the order. Nothing here knows of an engine.

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
