//! An interpreter for small lowered programs: all interleavings of their memory accesses under sequential
//! consistency. It shares no code with the engines.

use raddle_ir::{
    BinOp, BlockId, CastOp, CmpOp, Function, GlobalId, InstKind, IntPred, Observed, Operand, Pred,
    Program, Reg, RmwOp, Term, TerminatorKind, Type,
};
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, PartialEq, Eq, Hash)]
struct ThreadState {
    /// The block and the next instruction in it; `None` if the thread has ended.
    at: Option<(BlockId, usize)>,
    registers: Vec<u64>,
    reservation: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<ThreadState>,
    /// The bytes of each global.
    memory: Vec<Vec<u8>>,
}

/// Global `i` starts at `(i + 1) << 12`.
const OBJECT_SHIFT: u32 = 12;

fn address_of(global: GlobalId, offset: i64) -> u64 {
    ((u64::from(global.as_u32()) + 1) << OBJECT_SHIFT).wrapping_add(offset as u64)
}

fn mask(ty: Type) -> u64 {
    ty.mask() as u64
}

fn signed(value: u64, ty: Type) -> i64 {
    let unused = 64 - ty.bits();
    ((value << unused) as i64) >> unused
}

/// The final states of all interleavings, each as herd would print it.
pub(crate) fn shown_states(program: &Program) -> BTreeSet<String> {
    final_states(program).iter().map(|state| show(program, state)).collect()
}

/// In how many of the final states the condition's proposition holds, and how many there are.
pub(crate) fn count_witnesses(program: &Program) -> (usize, usize) {
    let states = final_states(program);
    let prop = &program.condition.as_ref().expect("a condition").prop;
    let holds = |state: &&State| prop.holds(&mut |op, a, b| term_compare(program, state, op, a, b));
    (states.iter().filter(holds).count(), states.len())
}

fn term_compare(program: &Program, state: &State, op: CmpOp, a: Term, b: Term) -> bool {
    let Term::Observable(id) = a else { panic!("a condition is about observables") };
    let (left, ty) = observed(state, program.observables[id].what);
    let right = match b {
        Term::Observable(other) => observed(state, program.observables[other].what).0,
        Term::Int(value) => value as u64 & mask(ty),
        Term::Global(global, offset) => address_of(global, offset),
    };
    (left == right) == (op == CmpOp::Eq)
}

fn final_states(program: &Program) -> Vec<State> {
    let mut seen = HashSet::new();
    let mut work = vec![initial(program)];
    let mut found = Vec::new();
    while let Some(mut state) = work.pop() {
        for thread in 0..state.threads.len() {
            run_locally(program, &mut state, thread);
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        if state.threads.iter().all(|thread| thread.at.is_none()) {
            found.push(state);
            continue;
        }
        for thread in 0..state.threads.len() {
            let mut next = state.clone();
            if step(program, &mut next, thread) {
                work.push(next);
            }
        }
    }
    found
}

/// Runs a thread up to its next memory access.
fn run_locally(program: &Program, state: &mut State, thread: usize) {
    while let Some((block, index)) = state.threads[thread].at {
        let inst = function_of(program, thread).blocks[block].insts.get(index);
        if inst.is_some_and(|inst| is_access(&inst.kind)) {
            return;
        }
        step(program, state, thread);
    }
}

fn is_access(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Rmw { .. }
            | InstKind::CmpXchg { .. }
            | InstKind::StoreCond { .. }
    )
}

fn initial(program: &Program) -> State {
    let threads = program.threads.values().map(|thread| {
        let function = &program.funcs[thread.func];
        ThreadState {
            at: Some((function.blocks.keys().next().expect("an entry block"), 0)),
            registers: vec![0; function.regs.len()],
            reservation: None,
        }
    });
    let memory = program.globals.values().map(|global| {
        let mut bytes = global.init.clone();
        bytes.resize(global.size as usize, 0);
        for (offset, target) in &global.relocs {
            let Operand::Global(target, plus) = target else { panic!("a strange relocation") };
            let range = *offset as usize..*offset as usize + 8;
            bytes[range].copy_from_slice(&address_of(*target, *plus).to_le_bytes());
        }
        bytes
    });
    State { threads: threads.collect(), memory: memory.collect() }
}

fn observed(state: &State, what: Observed) -> (u64, Type) {
    match what {
        Observed::Reg(thread, reg) => {
            let index = thread.as_u32() as usize;
            (state.threads[index].registers[reg.as_u32() as usize], Type::I64)
        }
        Observed::Mem { global, offset, ty } => {
            (read(state, address_of(global, offset as i64), ty), ty)
        }
    }
}

fn show(program: &Program, state: &State) -> String {
    let shown = program.observables.values().map(|observable| {
        let (value, ty) = observed(state, observable.what);
        let named = program.globals.iter().find(|(id, _)| address_of(*id, 0) == value);
        match named {
            Some((_, global)) => format!("{}={};", observable.name, global.name),
            None => format!("{}={};", observable.name, signed(value, ty)),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn place(address: u64) -> (usize, usize) {
    let object = (address >> OBJECT_SHIFT).checked_sub(1).expect("a wild address");
    (object as usize, (address & ((1 << OBJECT_SHIFT) - 1)) as usize)
}

fn read(state: &State, address: u64, ty: Type) -> u64 {
    let (object, offset) = place(address);
    let mut bytes = [0; 8];
    let count = ty.bytes() as usize;
    bytes[..count].copy_from_slice(&state.memory[object][offset..offset + count]);
    u64::from_le_bytes(bytes)
}

fn write(state: &mut State, by: usize, address: u64, value: u64, ty: Type) {
    let (object, offset) = place(address);
    let count = ty.bytes() as usize;
    state.memory[object][offset..offset + count].copy_from_slice(&value.to_le_bytes()[..count]);
    for (i, thread) in state.threads.iter_mut().enumerate() {
        if i != by && thread.reservation == Some(address) {
            thread.reservation = None;
        }
    }
}

/// Runs one instruction or terminator of a thread; returns `false` if the thread has ended.
fn step(program: &Program, state: &mut State, thread: usize) -> bool {
    let Some((block, index)) = state.threads[thread].at else { return false };
    let block_ref = &function_of(program, thread).blocks[block];
    if let Some(inst) = block_ref.insts.get(index) {
        state.threads[thread].at = Some((block, index + 1));
        execute(state, thread, &inst.kind);
        return true;
    }
    let to = match &block_ref.term.kind {
        TerminatorKind::Jump(to) => Some(*to),
        TerminatorKind::Branch { cond, then, els } => {
            Some(if value(state, thread, *cond, Type::BOOL) == 1 { *then } else { *els })
        }
        TerminatorKind::Return(None) => None,
        other => panic!("no litmus test has {other:?}"),
    };
    state.threads[thread].at = to.map(|block| (block, 0));
    true
}

fn function_of(program: &Program, thread: usize) -> &Function {
    let init = program.threads.values().nth(thread).expect("the thread exists");
    &program.funcs[init.func]
}

fn value(state: &State, thread: usize, operand: Operand, ty: Type) -> u64 {
    let bits = match operand {
        Operand::Reg(reg) => state.threads[thread].registers[reg.as_u32() as usize],
        Operand::Int(bits) => bits as u64,
        Operand::Global(global, offset) => address_of(global, offset),
        other => panic!("no litmus test has {other:?}"),
    };
    assert_eq!(bits & !mask(ty), 0, "{operand:?} is not of type {ty}");
    bits
}

fn set(state: &mut State, thread: usize, reg: Reg, bits: u64) {
    state.threads[thread].registers[reg.as_u32() as usize] = bits;
}

fn execute(state: &mut State, thread: usize, kind: &InstKind) {
    let get = |state: &State, operand: Operand, ty: Type| value(state, thread, operand, ty);
    match *kind {
        InstKind::Bin { op, ty, dst, a, b } => {
            let bits = binary(op, ty, get(state, a, ty), get(state, b, ty));
            set(state, thread, dst, bits);
        }
        InstKind::Cmp { pred: Pred::Int(pred), ty, dst, a, b } => {
            let holds = compare(pred, ty, get(state, a, ty), get(state, b, ty));
            set(state, thread, dst, holds.into());
        }
        InstKind::Cast { op, from, to, dst, a } => {
            let bits = get(state, a, from);
            let bits = if op == CastOp::SExt { signed(bits, from) as u64 } else { bits };
            set(state, thread, dst, bits & mask(to));
        }
        InstKind::Select { ty, dst, cond, a, b } => {
            let chosen = if get(state, cond, Type::BOOL) == 1 { a } else { b };
            let bits = get(state, chosen, ty);
            set(state, thread, dst, bits);
        }
        InstKind::Move { ty, dst, a } => {
            let bits = get(state, a, ty);
            set(state, thread, dst, bits);
        }
        InstKind::Fence { .. } => {}
        _ => access(state, thread, kind),
    }
}

fn access(state: &mut State, thread: usize, kind: &InstKind) {
    let get = |state: &State, operand: Operand, ty: Type| value(state, thread, operand, ty);
    match *kind {
        InstKind::Load { dst, ty, addr, access } => {
            let address = get(state, addr, Type::Ptr);
            if access.exclusive {
                state.threads[thread].reservation = Some(address);
            }
            let bits = read(state, address, ty);
            set(state, thread, dst, bits);
        }
        InstKind::Store { ty, addr, value, .. } => {
            let (address, bits) = (get(state, addr, Type::Ptr), get(state, value, ty));
            write(state, thread, address, bits, ty);
        }
        InstKind::Rmw { op, ty, dst, addr, value, .. } => {
            let (address, operand) = (get(state, addr, Type::Ptr), get(state, value, ty));
            let old = read(state, address, ty);
            write(state, thread, address, updated(op, ty, old, operand), ty);
            set(state, thread, dst, old);
        }
        InstKind::CmpXchg { ty, dst, ok, addr, expected, new, .. } => {
            let address = get(state, addr, Type::Ptr);
            let old = read(state, address, ty);
            let equal = old == get(state, expected, ty);
            if equal {
                let bits = get(state, new, ty);
                write(state, thread, address, bits, ty);
            }
            set(state, thread, dst, old);
            set(state, thread, ok, equal.into());
        }
        InstKind::StoreCond { ty, ok, addr, value, .. } => {
            let (address, bits) = (get(state, addr, Type::Ptr), get(state, value, ty));
            let held = state.threads[thread].reservation.take() == Some(address);
            if held {
                write(state, thread, address, bits, ty);
            }
            set(state, thread, ok, held.into());
        }
        ref other => panic!("no litmus test has {other:?}"),
    }
}

fn binary(op: BinOp, ty: Type, a: u64, b: u64) -> u64 {
    let large = b >= u64::from(ty.bits());
    let bits = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if large => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if large => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (signed(a, ty) >> b.min(63)) as u64,
        BinOp::UDiv => a / b,
        BinOp::URem => a % b,
        BinOp::SDiv => signed(a, ty).wrapping_div(signed(b, ty)) as u64,
        BinOp::SRem => signed(a, ty).wrapping_rem(signed(b, ty)) as u64,
        other => panic!("no litmus test has {other:?}"),
    };
    bits & mask(ty)
}

fn updated(op: RmwOp, ty: Type, old: u64, operand: u64) -> u64 {
    let op = match op {
        RmwOp::Xchg => return operand,
        RmwOp::Add => BinOp::Add,
        RmwOp::Sub => BinOp::Sub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        other => panic!("no litmus test has {other:?}"),
    };
    binary(op, ty, old, operand)
}

fn compare(pred: IntPred, ty: Type, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, ty), signed(b, ty));
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
        IntPred::Slt => sa < sb,
        IntPred::Sle => sa <= sb,
        IntPred::Sgt => sa > sb,
        IntPred::Sge => sa >= sb,
    }
}
