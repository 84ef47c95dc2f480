//! The questions to an oracle and its answers.

use crate::layout::Layout;
use crate::local::{End, Thread};
use raddle_ir::{Observed, Program, Type};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
}

impl Model {
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    pub const fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }

    /// The model with this name in engines and results.
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Distinct executions of a program, by how they end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Executions that completed, failed or deadlocked: all except the `blocked` ones.
    pub executions: u64,
    /// Executions in which `assume` stopped a thread and no thread failed.
    pub blocked: u64,
    /// Executions in which threads wait forever, no thread failed, `assume` stopped no thread, and
    /// no thread ended the program.
    pub deadlocks: u64,
    /// Executions in which a thread failed: by an assertion, or by an error such as an invalid address, a
    /// division by zero or the unlock of a free mutex.
    pub assertion_failures: u64,
    /// Final values of the observables, over the executions in which every thread returned.
    pub states: BTreeMap<Vec<u64>, u64>,
}

/// The reason why an oracle has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The program has more executions, or longer ones, than the budget allows.
    Budget,
    /// The program uses a feature that the oracle does not support.
    Unsupported(String),
}

impl Trouble {
    pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, Trouble> {
        Err(Trouble::Unsupported(what.into()))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Budget => f.write_str("the program is too large for the oracle's budget"),
            Trouble::Unsupported(what) => write!(f, "the oracle does not support {what}"),
        }
    }
}

impl std::error::Error for Trouble {}

impl Outcome {
    /// Counts one execution, given the end of each thread (`None`: it waits) and, if the execution is
    /// complete, its final state.
    pub(crate) fn count(&mut self, ends: &[Option<End>], state: impl FnOnce() -> Vec<u64>) {
        let any = |end: Option<End>| ends.contains(&end);
        if any(Some(End::Failed)) {
            self.executions += 1;
            self.assertion_failures += 1;
        } else if any(Some(End::Blocked)) {
            self.blocked += 1;
        } else if any(None) && !any(Some(End::Halted)) {
            self.executions += 1;
            self.deadlocks += 1;
        } else {
            self.executions += 1;
            *self.states.entry(state()).or_default() += 1;
        }
    }
}

/// The values of a program's observables. `initial` has the initial threads in order; `written`
/// returns the last value stored to a place, if a store exists.
pub(crate) fn observe(
    program: &Program,
    layout: &Layout,
    initial: &[&Thread],
    written: &BTreeMap<crate::layout::Extent, u128>,
) -> Vec<u64> {
    let value = |what: Observed| match what {
        Observed::Reg(thread, reg) => initial[thread.as_u32() as usize].outermost(reg),
        Observed::Mem { global, offset, ty } => {
            let first = layout.address(global) + offset;
            memory_value(layout, first, ty, written)
        }
    };
    program.observables.values().map(|o| value(o.what) as u64).collect()
}

fn memory_value(
    layout: &Layout,
    first: u64,
    ty: Type,
    written: &BTreeMap<crate::layout::Extent, u128>,
) -> u128 {
    let byte = |addr: u64| {
        let store = written.iter().find(|(p, _)| p.addr <= addr && addr - p.addr < p.size.into());
        store.map_or_else(|| layout.initial_byte(addr), |(p, v)| (v >> (8 * (addr - p.addr))) as u8)
    };
    let bytes = (0..u64::from(ty.bytes())).rev();
    bytes.fold(0, |value, i| value << 8 | u128::from(byte(first + i))) & ty.mask()
}
