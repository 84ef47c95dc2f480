//! Translates the IR to [`Code`].

use crate::code::{
    Args, Code, FuncCode, LoopCode, LoopId, Op, Pc, Slot, Source, Src, Switch, Target, is_wide,
};
use crate::exits::Exits;
use crate::fault::{FailureKind, Fault};
use crate::layout;
use crate::loops::{Loop, loops};
use crate::machine::Bounds;
use crate::quick;
use crate::spin;
use crate::unroll::{self, Unrolling};
use raddle_ir::flow::Flow;
use raddle_ir::{
    BlockId, Callee, FuncId, Function, InstKind, LocId, Operand, Program, Reg, TerminatorKind, Type,
};

/// Decodes a program. Watches the loops that the bounds concern.
pub fn decode(program: &Program, bounds: &Bounds) -> Result<Code, Fault> {
    // The decoded form takes about as much memory as the program.
    if !bounds.budget.affords(program.code_bytes()) {
        let message = "the program is larger than there is memory for";
        return Err(Fault::new(FailureKind::Unsupported, message));
    }
    let unrolling = bounds.unroll.is_some().then(|| Unrolling::new(program, &bounds.unroll));
    let unrolling = unrolling.as_ref();
    let exits = bounds.spin.then(|| Exits::new(program, &bounds.budget));
    let mut code = Code::default();
    for func in program.funcs.values() {
        code.funcs.push(frame_of(func));
    }
    for (id, func) in &program.funcs {
        let flow = Flow::of(func);
        let watched = watched_loops(program, id, &flow, bounds, exits.as_ref());
        let back = flow.back_edges();
        let (blocks, at) = (Vec::new(), (BlockId::from_u32(0), 0));
        Decoder { program, code: &mut code, func, id, blocks, watched, back, unrolling, at }
            .function();
    }
    code.has_private |= program.globals.values().any(|global| global.private);
    code.shares_thread_locals =
        program.globals.values().any(|global| global.thread_local && !global.private);
    code.has_waits = code.ops.iter().any(waits);
    code.has_conditions = code.has_waits || code.ops.iter().any(looks);
    code.has_joins = code.ops.iter().any(|op| matches!(op, Op::Join { .. }));
    code.begins_alone =
        program.threads.len() == 1 && code.ops.iter().any(|op| matches!(op, Op::Spawn { .. }));
    Ok(code)
}

fn waits(op: &Op) -> bool {
    match op {
        Op::Rmw { when, .. } => when.is_some(),
        op => matches!(op, Op::Lock { .. } | Op::CondWait { .. } | Op::Await { .. }),
    }
}

/// Whether the effect of an operation depends on the value that it overwrites.
fn looks(op: &Op) -> bool {
    matches!(op, Op::Rmw { .. } | Op::CmpXchg { .. } | Op::StoreCond { .. } | Op::TryLock { .. })
}

fn frame_of(func: &Function) -> FuncCode {
    let mut slots = 0;
    let mut regs = Vec::with_capacity(func.regs.len());
    for info in func.regs.values() {
        let wide = is_wide(info.ty);
        regs.push((Slot(slots), info.ty));
        slots += 1 + u32::from(wide);
    }
    FuncCode { entry: None, slots, register_slots: slots, regs, params: func.params.len() as u32 }
}

fn watched_loops(
    program: &Program,
    id: FuncId,
    flow: &Flow,
    bounds: &Bounds,
    exits: Option<&Exits<'_>>,
) -> Vec<Loop> {
    let mut loops = loops(program, &program.funcs[id], flow, &bounds.budget);
    for known in &mut loops {
        known.may_spin &= bounds.spin;
        let exits = exits.filter(|_| known.may_spin);
        known.has_way_out = exits.is_none_or(|exits| exits.has_way_out(id, known.head));
    }
    loops.retain(|known| known.may_spin || bounds.unroll.is_some());
    loops
}

struct Decoder<'a> {
    program: &'a Program,
    code: &'a mut Code,
    func: &'a Function,
    id: FuncId,
    /// The start of each block.
    blocks: Vec<Pc>,
    watched: Vec<Loop>,
    /// The back edges.
    back: &'a [(BlockId, BlockId)],
    /// The bounds on loops, if any: the entries of loops are marked then.
    unrolling: Option<&'a Unrolling<'a>>,
    /// The instruction that is being translated.
    at: (BlockId, u32),
}

impl Decoder<'_> {
    fn function(&mut self) {
        if self.func.blocks.is_empty() {
            return;
        }
        let drops = self.has_allocas();
        let mut next = self.code.ops.len() as u32;
        self.code.funcs[self.id.as_u32() as usize].entry = Some(Pc(next));
        for (id, block) in &self.func.blocks {
            self.blocks.push(Pc(next));
            next += u32::from(self.is_goal(id));
            if self.is_watched(id) {
                next += 1 + u32::from(self.unrolling.is_some());
            }
            let returns = matches!(block.term.kind, TerminatorKind::Return(_));
            next += block.insts.len() as u32 + 1 + u32::from(drops && returns);
        }
        for (id, block) in &self.func.blocks {
            self.at = (id, 0);
            self.loop_head(id);
            if self.is_goal(id) {
                let pc = Pc(self.code.ops.len() as u32);
                self.code.pauses.push((self.id, id, pc));
                self.push(Op::Pause, block.term.loc);
            }
            for inst in &block.insts {
                let op = self.inst(&inst.kind);
                self.push(op, inst.loc);
                self.at.1 += 1;
            }
            if drops && matches!(block.term.kind, TerminatorKind::Return(_)) {
                self.push(Op::DropAllocas, block.term.loc);
            }
            let op = self.terminator(id, &block.term.kind);
            self.push(op, block.term.loc);
        }
        quick::translate(self.program, self.id, self.code);
    }

    /// Whether a goal names this block.
    fn is_goal(&self, block: BlockId) -> bool {
        let mut places = self.program.goals.iter().flat_map(|goal| &goal.places);
        places.any(|(thread, at)| *at == block && self.program.threads[*thread].func == self.id)
    }

    fn is_watched(&self, block: BlockId) -> bool {
        self.watched.iter().any(|known| known.head == block)
    }

    /// The operations at the head of a watched loop.
    fn loop_head(&mut self, block: BlockId) {
        let Some(known) = self.watched.iter().find(|known| known.head == block).copied() else {
            return;
        };
        let loc = unroll::position(self.func, block, self.back);
        let most = self.unrolling.and_then(|loops| loops.bound(self.id, block, self.back));
        let frame = &mut self.code.funcs[self.id.as_u32() as usize];
        let slot = Slot(frame.slots);
        frame.slots += spin::word::ALL;
        let id = LoopId(self.code.loops.len() as u32);
        let Loop { head, may_spin, has_way_out, nesting } = known;
        let func = self.id;
        self.code.loops.push(LoopCode { func, head, slot, may_spin, has_way_out, nesting, most });
        self.code.may_spin |= may_spin;
        if self.unrolling.is_some() {
            self.push(Op::LoopEntry(id), loc);
        }
        self.push(Op::LoopHead(id), loc);
    }

    /// The target of an edge. A back edge skips the entry of the loop.
    fn edge(&self, from: BlockId, to: BlockId) -> Pc {
        let Pc(start) = self.blocks[to.as_u32() as usize];
        let around =
            self.unrolling.is_some() && self.is_watched(to) && self.back.contains(&(from, to));
        Pc(start + u32::from(around))
    }

    fn has_allocas(&self) -> bool {
        let mut insts = self.func.blocks.values().flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst.kind, InstKind::Alloca { .. }))
    }

    fn push(&mut self, op: Op, loc: LocId) {
        self.code.ops.push(op);
        self.code.locs.push(loc);
        self.code.insts.push(self.at);
    }

    fn slot(&self, reg: Reg) -> Slot {
        self.code.funcs[self.id.as_u32() as usize].regs[reg.as_u32() as usize].0
    }

    fn src(&mut self, operand: Operand) -> Src {
        Src::new(match operand {
            Operand::Reg(reg) => Source::Slot(self.slot(reg)),
            Operand::Undef => self.constant(0),
            Operand::Func(func) => self.constant(layout::function_address(func)),
            Operand::Global(global, offset) if self.program.globals[global].thread_local => {
                self.code.thread_locals.push((global, offset));
                Source::ThreadLocal(self.code.thread_locals.len() as u32 - 1)
            }
            Operand::Global(global, offset) => {
                self.constant(layout::global_address(global).wrapping_add_signed(offset))
            }
            Operand::Int(bits) => match u64::try_from(bits) {
                Ok(bits) => self.constant(bits),
                Err(_) => {
                    self.code.wides.push(bits);
                    Source::Wide(self.code.wides.len() as u32 - 1)
                }
            },
        })
    }

    fn constant(&mut self, bits: u64) -> Source {
        self.code.constants.push(bits);
        Source::Constant(self.code.constants.len() as u32 - 1)
    }

    fn is_wide_operand(&self, operand: Operand) -> bool {
        match operand {
            Operand::Reg(reg) => is_wide(self.func.regs[reg].ty),
            Operand::Int(bits) => bits > u128::from(u64::MAX),
            _ => false,
        }
    }

    /// Arguments by the parameter types of a known callee, else by their own.
    fn args(&mut self, callee: Callee, args: &[Operand]) -> Args {
        let params: Vec<bool> = match callee {
            Callee::Direct(func) => {
                let func = &self.program.funcs[func];
                func.params.iter().map(|reg| is_wide(func.regs[*reg].ty)).collect()
            }
            Callee::Indirect(_) => args.iter().map(|arg| self.is_wide_operand(*arg)).collect(),
        };
        let start = self.code.args.len() as u32;
        for (arg, wide) in args.iter().zip(params) {
            let src = self.src(*arg);
            self.code.args.push((src, wide));
        }
        Args { start, len: self.code.args.len() as u32 - start }
    }

    fn target(&mut self, callee: Callee) -> Target {
        match callee {
            Callee::Direct(func) => Target::Func(func),
            Callee::Indirect(operand) => Target::Pointer(self.src(operand)),
        }
    }

    fn message(&mut self, text: &str) -> u32 {
        self.code.messages.push(text.to_owned());
        self.code.messages.len() as u32 - 1
    }

    fn inst(&mut self, kind: &InstKind) -> Op {
        match *kind {
            InstKind::Bin { op, ty, dst, a, b } => {
                Op::Bin { op, ty, dst: self.slot(dst), a: self.src(a), b: self.src(b) }
            }
            InstKind::Un { op, ty, dst, a } => {
                Op::Un { op, ty, dst: self.slot(dst), a: self.src(a) }
            }
            InstKind::Cmp { pred, ty, dst, a, b } => {
                Op::Cmp { pred, ty, dst: self.slot(dst), a: self.src(a), b: self.src(b) }
            }
            InstKind::Cast { op, from, to, dst, a } => {
                Op::Cast { op, from, to, dst: self.slot(dst), a: self.src(a) }
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                let (dst, cond) = (self.slot(dst), self.src(cond));
                Op::Select { ty, dst, cond, a: self.src(a), b: self.src(b) }
            }
            InstKind::Move { ty, dst, a } => Op::Move { ty, dst: self.slot(dst), a: self.src(a) },
            InstKind::Call { dst, callee, ref args } => {
                let dst = dst.map(|reg| (self.slot(reg), self.func.regs[reg].ty));
                Op::Call { target: self.target(callee), args: self.args(callee, args), dst }
            }
            InstKind::Assume { cond } => Op::Assume { cond: self.src(cond) },
            InstKind::Assert { cond, ref message } => {
                Op::Assert { cond: self.src(cond), message: self.message(message) }
            }
            // Only one value is possible, so this is a local step.
            InstKind::Choose { dst, ty, lo, hi, .. } if lo == hi => {
                Op::Move { ty, dst: self.slot(dst), a: self.src(Operand::Int(lo.into())) }
            }
            InstKind::Choose { dst, lo, hi, .. } => Op::Choose { dst: self.slot(dst), lo, hi },
            InstKind::Unsupported { ref what } => Op::Unsupported { message: self.message(what) },
            InstKind::Spawn { dst, callee, ref args } => {
                let dst = self.slot(dst);
                Op::Spawn { dst, target: self.target(callee), args: self.args(callee, args) }
            }
            InstKind::Join { dst, thread } => {
                Op::Join { dst: dst.map(|reg| self.slot(reg)), thread: self.src(thread) }
            }
            InstKind::Extent { dst, addr } => {
                Op::Extent { dst: self.slot(dst), addr: self.src(addr) }
            }
            InstKind::SelfId { dst } => Op::SelfId { dst: self.slot(dst) },
            InstKind::ThreadExit { value } => Op::ThreadExit { value: self.src(value) },
            InstKind::Yield => Op::Nop,
            InstKind::Halt => Op::Halt,
            InstKind::Fail { kind, ref message } => {
                Op::Fail { kind, message: self.message(message) }
            }
            InstKind::Format { dst, format, args, to } => {
                self.code.has_formats = true;
                let to = to.map(|(buffer, size)| (self.src(buffer), self.src(size)));
                let (format, args) = (self.src(format), self.src(args));
                Op::Format { dst: self.slot(dst), format, args, to }
            }
            ref memory => self.memory_inst(memory),
        }
    }

    fn memory_inst(&mut self, kind: &InstKind) -> Op {
        match *kind {
            // Every object starts at a multiple of 2²⁸, which satisfies any alignment.
            InstKind::Alloca { dst, size, private, .. } => {
                self.code.has_private |= private;
                Op::Alloca { dst: self.slot(dst), size: self.src(size), private }
            }
            InstKind::Malloc { dst, size, zeroed, .. } => {
                Op::Malloc { dst: self.slot(dst), size: self.src(size), zeroed }
            }
            InstKind::Free { addr } => Op::Free { addr: self.src(addr) },
            InstKind::Load { dst, ty, addr, access } => {
                Op::Load { dst: self.slot(dst), ty, addr: self.src(addr), access }
            }
            InstKind::Store { ty, addr, value, access } => {
                Op::Store { ty, addr: self.src(addr), value: self.src(value), access }
            }
            InstKind::Rmw { op, ty, dst, addr, value, when, access } => {
                let (dst, addr, value) = (self.slot(dst), self.src(addr), self.src(value));
                let when = when.map(|(pred, wanted)| (pred, self.src(wanted)));
                Op::Rmw { op, ty, dst, addr, value, order: access.order, when }
            }
            InstKind::CmpXchg { ty, dst, ok, addr, expected, new, success, failure, .. } => {
                let (dst, ok, addr) = (self.slot(dst), self.slot(ok), self.src(addr));
                let (expected, new) = (self.src(expected), self.src(new));
                Op::CmpXchg { ty, dst, ok, addr, expected, new, order: success.order, failure }
            }
            InstKind::StoreCond { ty, ok, addr, value, access } => {
                let (ok, addr) = (self.slot(ok), self.src(addr));
                Op::StoreCond { ty, ok, addr, value: self.src(value), order: access.order }
            }
            InstKind::Fence { kind } => Op::Fence { kind },
            InstKind::Lock { addr } => Op::Lock { addr: self.src(addr) },
            InstKind::TryLock { dst, addr } => {
                Op::TryLock { dst: self.slot(dst), addr: self.src(addr) }
            }
            InstKind::Unlock { addr } => Op::Unlock { addr: self.src(addr) },
            InstKind::CondWait { woken, cond, mutex } => {
                let woken = woken.map(|reg| self.slot(reg));
                Op::CondWait { woken, cond: self.src(cond), mutex: self.src(mutex) }
            }
            InstKind::CondSignal { cond } => Op::CondSignal { cond: self.src(cond) },
            InstKind::CondBroadcast { cond } => Op::CondBroadcast { cond: self.src(cond) },
            InstKind::Await { dst, ty, pred, addr, value, access } => {
                let (dst, addr) = (self.slot(dst), self.src(addr));
                Op::Await { dst, ty, pred, addr, value: self.src(value), order: access.order }
            }
            ref local => unreachable!("not a memory operation: {local:?}"),
        }
    }

    fn terminator(&mut self, from: BlockId, kind: &TerminatorKind) -> Op {
        match kind {
            TerminatorKind::Jump(to) => Op::Jump(self.edge(from, *to)),
            TerminatorKind::Branch { cond, then, els } => {
                let cond = self.src(*cond);
                Op::Branch { cond, then: self.edge(from, *then), els: self.edge(from, *els) }
            }
            TerminatorKind::Switch { ty, value, cases, default } => {
                let cases = cases.iter().map(|(bits, to)| (*bits, self.edge(from, *to))).collect();
                let default = self.edge(from, *default);
                self.code.switches.push(Switch { cases, default });
                let table = self.code.switches.len() as u32 - 1;
                Op::Switch { value: self.src(*value), ty: *ty, table }
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|operand| self.src(operand));
                Op::Return { value, ty: self.func.ret.unwrap_or(Type::I64) }
            }
            TerminatorKind::Unreachable => Op::Unreachable,
        }
    }
}
