//! The calls on a thread's stack, for people.

use crate::code::Pc;
use crate::machine::Machine;
use crate::thread::{ThreadId, field, frame};
use crate::trail::Word;
use raddle_ir::{FuncId, LocId};
use std::sync::Arc;

/// A function on the stack, and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub func: FuncId,
    /// The position of its current operation or call, if it has one.
    pub at: LocId,
}

/// The functions on a stack, the innermost first. Of a deep recursion the middle is missing.
pub type Calls = Arc<[Frame]>;

/// The largest number of frames at the inner end.
const INNERMOST: usize = 48;

impl Machine<'_> {
    /// The calls on the stack of a thread.
    pub fn calls(&self, thread: ThreadId) -> Calls {
        let frame = Word::from_index(self.get(thread, field::FRAME));
        self.calls_through(self.pc(thread), frame, |word| self.trail.get(word))
    }

    /// The calls from an operation in a frame outwards. `word` reads the words of the moment in question.
    pub(crate) fn calls_through(&self, pc: Pc, frame: Word, word: impl Fn(Word) -> u64) -> Calls {
        let (mut pc, mut frame, mut calls) = (pc, frame, Vec::new());
        loop {
            if let Some(func) = self.code.function_at(pc) {
                let here = Frame { func, at: self.code.loc(pc) };
                match calls.len() < INNERMOST {
                    true => calls.push(here),
                    // The outermost frame is kept.
                    false => calls[INNERMOST - 1] = here,
                }
            }
            let caller = word(frame.at(frame::CALLER));
            if caller == 0 {
                return calls.into();
            }
            // A call is right before its return address.
            pc = Pc((word(frame.at(frame::RETURN_PC)) as u32).saturating_sub(1));
            frame = Word::from_index(caller);
        }
    }
}
