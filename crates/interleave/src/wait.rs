//! Operations that wait for a value in memory: locks, `await`, read-modify-writes with `when`.
//!
//! They are one thing: an operation that is enabled while the value compares so, and otherwise like
//! any other of its kind. Where an operation would fail (a bad address, memory that was never
//! written, a lock that was destroyed) it does not wait: it is let through, to fail.

use raddle_ir::{IntPred, Type};
use raddle_machine::visible::{DESTROYED, LOCK_BYTES, UNLOCKED};
use raddle_machine::{Visible, int_pred};

/// What an operation waits for: a value that compares so, or one on which it fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pred: IntPred,
    ty: Type,
    value: u128,
    fails_on: Option<u128>,
}

/// A lock can be taken when it is free, and fails when it was destroyed.
const NOT_HELD: Needs = Needs {
    pred: IntPred::Eq,
    ty: Type::Int(LOCK_BYTES as u8 * 8),
    value: UNLOCKED,
    fails_on: Some(DESTROYED),
};

impl Needs {
    /// What an operation waits for, and where; `None` if it does not wait for a value.
    pub fn of(visible: Visible) -> Option<(u64, Needs)> {
        match visible {
            Visible::Lock { addr } | Visible::Relock { addr, woken: true } => {
                Some((addr, NOT_HELD))
            }
            Visible::Await { addr, ty, pred, value } => {
                Some((addr, Needs { pred, ty, value, fails_on: None }))
            }
            Visible::Rmw { addr, ty, when: Some((pred, value)), .. } => {
                Some((addr, Needs { pred, ty, value, fails_on: None }))
            }
            _ => None,
        }
    }

    pub fn bytes(&self) -> u32 {
        self.ty.bytes()
    }

    pub fn met_by(&self, value: u128) -> bool {
        let value = value & self.ty.mask();
        int_pred(self.pred, self.ty, value, self.value) || self.fails_on == Some(value)
    }
}
