//! Numbers of threads and objects that a program creates, shared by several machines.
//!
//! A thread or an object that a program creates gets a number when it is first needed in a search. Machines
//! that search together must give the same numbers. So only one of them gives numbers at a time, and the others
//! have *fixed* names: a run that needs a number fails there, and the engine repeats it once it has the number.

use crate::fault::{FailureKind, Fault};
use crate::machine::Machine;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names {
    fixed: bool,
    /// Whether a number was needed and not given.
    missed: bool,
}

impl Machine<'_> {
    /// Says whether threads and objects that have no number yet get one. If not, creating them fails:
    /// [`Machine::take_missed_name`] tells this from a failure of the program.
    pub fn fix_names(&mut self, fixed: bool) {
        self.names = Names { fixed, missed: false };
    }

    /// Whether a number was needed that does not exist.
    pub fn missed_name(&self) -> bool {
        self.names.missed
    }

    /// Whether a number was needed that does not exist, since the last call.
    pub fn take_missed_name(&mut self) -> bool {
        std::mem::take(&mut self.names.missed)
    }

    /// How many threads and objects have numbers. Both only grow.
    pub fn named(&self) -> (usize, usize) {
        (self.threads.len(), self.memory.len())
    }

    /// To be called before a number is given.
    pub(crate) fn may_name(&mut self) -> Result<(), Fault> {
        if self.names.fixed {
            self.names.missed = true;
            return Err(Fault::new(FailureKind::Unsupported, "needs a number"));
        }
        Ok(())
    }
}
