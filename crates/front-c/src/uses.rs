//! The operands of the instructions of a body, and the instructions that read each value.

use cranelift_entity::SecondaryMap;
use raddle_llvm::ast::{BlockId, Body, Call, Callee, Inst, InstKind, LocalId, Value};
use smallvec::SmallVec;

/// For each value, the instructions that read it, as indices into [`Body::insts`]. An instruction that
/// reads a value twice appears twice.
#[derive(Debug)]
pub(crate) struct Uses {
    of: SecondaryMap<LocalId, SmallVec<[u32; 2]>>,
}

impl Uses {
    pub(crate) fn new(body: &Body) -> Uses {
        let mut of: SecondaryMap<LocalId, SmallVec<[u32; 2]>> = SecondaryMap::new();
        of.resize(body.locals.len());
        for (index, inst) in body.insts.iter().enumerate() {
            each_value(&inst.kind, &mut |value| {
                if let Value::Local(local) = value {
                    of[local].push(index as u32);
                }
            });
        }
        Uses { of }
    }

    pub(crate) fn of(&self, local: LocalId) -> &[u32] {
        &self.of[local]
    }

    /// The instruction that reads a value, if exactly one does.
    pub(crate) fn only(&self, local: LocalId) -> Option<u32> {
        match self.of(local) {
            [only] => Some(*only),
            _ => None,
        }
    }
}

fn each_in_call(call: &Call, f: &mut impl FnMut(Value)) {
    if let Callee::Value(callee) = &call.callee {
        f(*callee);
    }
    call.args.iter().for_each(|arg| f(arg.value));
}

/// Calls `f` with every operand.
pub(crate) fn each_value(kind: &InstKind, f: &mut impl FnMut(Value)) {
    match kind {
        InstKind::Ret(value) => value.iter().for_each(|value| f(*value)),
        InstKind::Br(_) | InstKind::Unreachable | InstKind::Fence(_) => {}
        InstKind::CondBr { cond: a, .. }
        | InstKind::Switch { value: a, .. }
        | InstKind::IndirectBr { address: a, .. }
        | InstKind::Resume(a)
        | InstKind::CatchRet { pad: a, .. }
        | InstKind::CleanupRet { pad: a, .. }
        | InstKind::FNeg(a)
        | InstKind::Cast { arg: a, .. }
        | InstKind::Freeze(a)
        | InstKind::Load { ptr: a, .. }
        | InstKind::VaArg { list: a }
        | InstKind::ExtractValue { aggregate: a, .. } => f(*a),
        InstKind::Invoke { call, .. } | InstKind::CallBr { call, .. } | InstKind::Call(call) => {
            each_in_call(call, f);
        }
        InstKind::CatchSwitch { parent, .. } => parent.iter().for_each(|value| f(*value)),
        InstKind::Binary { lhs: a, rhs: b, .. }
        | InstKind::ICmp { lhs: a, rhs: b, .. }
        | InstKind::FCmp { lhs: a, rhs: b, .. }
        | InstKind::Store { value: a, ptr: b, .. }
        | InstKind::AtomicRmw { ptr: a, value: b, .. }
        | InstKind::ExtractElement { vector: a, index: b }
        | InstKind::ShuffleVector { lhs: a, rhs: b, .. }
        | InstKind::InsertValue { aggregate: a, value: b, .. } => [*a, *b].into_iter().for_each(f),
        InstKind::Select { cond: a, then: b, otherwise: c }
        | InstKind::InsertElement { vector: a, value: b, index: c } => {
            [*a, *b, *c].into_iter().for_each(f);
        }
        InstKind::Phi { incoming } => incoming.iter().for_each(|(value, _)| f(*value)),
        InstKind::Alloca { count, .. } => count.iter().for_each(|value| f(*value)),
        InstKind::CmpXchg(exchange) => {
            [exchange.ptr, exchange.expected, exchange.new].into_iter().for_each(f);
        }
        InstKind::Gep { base, indices, .. } => {
            f(*base);
            indices.iter().for_each(|index| f(*index));
        }
        InstKind::LandingPad { .. } => {}
        InstKind::CatchPad { within, args } => {
            f(*within);
            args.iter().for_each(|arg| f(*arg));
        }
        InstKind::CleanupPad { within, args } => {
            within.iter().for_each(|value| f(*value));
            args.iter().for_each(|arg| f(*arg));
        }
    }
}

/// The successor blocks of a terminator. Exceptions are never thrown, so unwind edges are ignored.
pub(crate) fn successors(kind: &InstKind) -> SmallVec<[BlockId; 2]> {
    let mut to = SmallVec::new();
    match kind {
        InstKind::Br(next)
        | InstKind::Invoke { normal: next, .. }
        | InstKind::CallBr { fallthrough: next, .. } => to.push(*next),
        InstKind::CondBr { then, otherwise, .. } => to.extend([*then, *otherwise]),
        InstKind::Switch { default, cases, .. } => {
            to.extend(cases.iter().map(|(_, block)| *block));
            to.push(*default);
        }
        InstKind::IndirectBr { targets, .. } => to.extend(targets.iter().copied()),
        _ => {}
    }
    to
}

/// The blocks that are reachable from the entry, in reverse postorder: a definition comes before
/// the uses that it dominates. Nothing is reached through a block in which the run `ends`.
pub(crate) fn reachable(body: &Body, ends: impl Fn(&Inst) -> bool) -> Vec<BlockId> {
    let next = |block: BlockId| -> SmallVec<[BlockId; 2]> {
        let insts = body.insts(block);
        if insts.iter().any(&ends) {
            return SmallVec::new();
        }
        insts.last().map(|last| successors(&last.kind)).unwrap_or_default()
    };
    let mut seen: SecondaryMap<BlockId, bool> = SecondaryMap::new();
    let mut order = Vec::with_capacity(body.blocks.len());
    let entry = body.entry();
    seen[entry] = true;
    let mut stack = vec![(entry, next(entry))];
    while let Some((block, left)) = stack.last_mut() {
        match left.pop() {
            Some(to) if seen[to] => {}
            Some(to) => {
                seen[to] = true;
                stack.push((to, next(to)));
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
