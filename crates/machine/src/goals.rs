//! Goals: threads stop at the starts of blocks that a goal names.
//!
//! A thread takes its local steps without a stop, so it may pass the place of a goal unnoticed. An engine
//! that looks for goals makes threads pause there, as before a visible operation: a choice with one
//! alternative.

use crate::code::{Op, Pc};
use crate::machine::Machine;
use crate::thread::ThreadId;
use raddle_ir::{BlockId, ThreadIdx};

impl Machine<'_> {
    /// From now on threads pause at the places of goals.
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

    /// Whether a thread pauses at the place of a goal.
    #[inline]
    pub fn is_paused(&self, thread: ThreadId) -> bool {
        self.pausing && matches!(self.code.ops[self.pc(thread).0 as usize], Op::Pause)
    }
}
