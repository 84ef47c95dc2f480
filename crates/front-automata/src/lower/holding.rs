//! For each state of a thread: whether the thread can hold the lock there.
//!
//! In most automata the state determines whether the lock is held, and no information is needed at run
//! time. If both are possible in a state, a register keeps the information.

use crate::ast::{Instruction, StateId, Thread};

/// The set of possible values of "free" and "held".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Possible(u8);

impl Possible {
    const NONE: Possible = Possible(0);
    const FREE: Possible = Possible(1);
    const HELD: Possible = Possible(2);
    const BOTH: Possible = Possible(3);
}

#[derive(Debug)]
pub(super) struct Holding {
    states: Vec<Possible>,
    /// Whether some transition depends on information that only a register has.
    pub dynamic: bool,
}

/// Whether a transition that takes or releases the lock is enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passable {
    Always,
    Never,
    /// Enabled if the lock is held, or if it is not held.
    If {
        held: bool,
    },
}

impl Holding {
    pub(super) fn of(thread: &Thread) -> Holding {
        let mut states = vec![Possible::NONE; thread.states.len()];
        states[thread.initial.0 as usize] = Possible::FREE;
        loop {
            let before = states.clone();
            for transition in &thread.transitions {
                let from = states[transition.from.0 as usize];
                let after = match transition.instruction {
                    Instruction::Lock if from.0 & Possible::FREE.0 != 0 => Possible::HELD,
                    Instruction::Unlock if from.0 & Possible::HELD.0 != 0 => Possible::FREE,
                    Instruction::Lock | Instruction::Unlock => Possible::NONE,
                    _ => from,
                };
                states[transition.to.0 as usize].0 |= after.0;
            }
            if states == before {
                break;
            }
        }
        let dynamic = thread.transitions.iter().any(|transition| {
            let locks = matches!(transition.instruction, Instruction::Lock | Instruction::Unlock);
            locks && states[transition.from.0 as usize] == Possible::BOTH
        });
        Holding { states, dynamic }
    }

    /// For a transition from `state`: `lock` requires that the lock is not held, `unlock` that it is held.
    pub(super) fn passable(&self, state: StateId, wants_held: bool) -> Passable {
        let wanted = if wants_held { Possible::HELD } else { Possible::FREE };
        match self.states[state.0 as usize] {
            Possible::BOTH => Passable::If { held: wants_held },
            found if found == wanted => Passable::Always,
            _ => Passable::Never,
        }
    }
}
