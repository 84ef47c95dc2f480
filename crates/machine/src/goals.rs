//! Goals: threads stop at the starts of blocks that one asks for.
//!
//! A thread goes through local steps without a stop, so it may pass the place that a goal asks for
//! and be seen there by nobody. An engine that looks for goals has threads pause there, as before a
//! visible operation: a choice of one.

use crate::code::{Op, Pc};
use crate::machine::Machine;
use crate::thread::ThreadId;
use raddle_ir::{BlockId, ThreadIdx};

impl Machine<'_> {
    /// From now on threads pause where a goal asks for them.
    pub fn pause_at_goals(&mut self) {
        self.pausing = true;
    }

    /// The goals of the program, as places where threads pause.
    pub fn goals(&self) -> Vec<Vec<(ThreadId, Pc)>> {
        let place = |thread: ThreadIdx, block: BlockId| {
            let func = self.program.threads[thread].func;
            let mut pauses = self.code.pauses.iter();
            let found = pauses.find(|(of, at, _)| (*of, *at) == (func, block));
            found.map(|(_, _, pc)| (ThreadId(thread.as_u32()), *pc))
        };
        let goals = self.program.goals.iter();
        goals.map(|goal| goal.places.iter().filter_map(|(t, b)| place(*t, *b)).collect()).collect()
    }

    /// Whether a thread stands where a goal asks for it.
    #[inline]
    pub fn is_paused(&self, thread: ThreadId) -> bool {
        self.pausing && matches!(self.code.ops[self.pc(thread).0 as usize], Op::Pause)
    }
}
