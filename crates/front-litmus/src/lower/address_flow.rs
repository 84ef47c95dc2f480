//! Detects programs that truncate an address to fewer than 64 bits.
//!
//! The analysis is flow-insensitive and works on one function at a time: a register is tainted if an address
//! may get into it through arithmetic, moves, casts and selects. The program truncates an address if it
//! truncates a tainted register. Flow through memory can be ignored: the analysis is only used for programs
//! with 32-bit words, where an address must be truncated before it gets into memory.

use raddle_ir::{CastOp, Function, InstKind, Operand, Program, Reg};
use std::collections::{HashMap, HashSet};

pub(super) fn truncates_address(program: &Program) -> bool {
    program.funcs.values().any(truncates_in_function)
}

/// The flow of values between the registers of one function.
#[derive(Default)]
struct Flow {
    edges: HashMap<Reg, Vec<Reg>>,
    /// Registers that get an address directly.
    sources: Vec<Reg>,
    /// Registers that are truncated.
    sinks: HashSet<Reg>,
}

impl Flow {
    fn edge(&mut self, from: Operand, to: Reg) {
        if let Operand::Reg(from) = from {
            self.edges.entry(from).or_default().push(to);
        }
    }

    fn inst(&mut self, kind: &InstKind) {
        match kind {
            InstKind::Cast { op: CastOp::PtrToInt, dst, .. } => self.sources.push(*dst),
            InstKind::Cast { op: CastOp::Trunc, a, .. } => {
                self.sinks.extend(match a {
                    Operand::Reg(reg) => Some(*reg),
                    _ => None,
                });
            }
            InstKind::Cast { dst, a, .. } | InstKind::Move { dst, a, .. } => self.edge(*a, *dst),
            InstKind::Bin { dst, a, b, .. } | InstKind::Select { dst, a, b, .. } => {
                self.edge(*a, *dst);
                self.edge(*b, *dst);
            }
            _ => {}
        }
    }
}

fn truncates_in_function(function: &Function) -> bool {
    let mut flow = Flow::default();
    for inst in function.blocks.values().flat_map(|block| &block.insts) {
        flow.inst(&inst.kind);
    }
    let mut tainted: HashSet<Reg> = HashSet::new();
    let mut work = std::mem::take(&mut flow.sources);
    while let Some(reg) = work.pop() {
        if tainted.insert(reg) {
            work.extend(flow.edges.get(&reg).into_iter().flatten());
        }
    }
    tainted.iter().any(|reg| flow.sinks.contains(reg))
}
