//! Running one thread: registers, control flow, calls; everything that is invisible to other threads.
//!
//! A [`Thread`] runs up to its next visible instruction and stays there until the oracle has executed
//! that instruction and has set its result.

use crate::arith;
use crate::deps::Deps;
use crate::layout::Layout;
use crate::outcome::Trouble;
use raddle_ir::{
    BlockId, Callee, FuncId, InstKind, Operand, Program, Reg, TerminatorKind, ThreadIdx, Type,
};

/// The maximum number of local instructions between two visible ones.
const LOCAL_STEPS: usize = 10_000;
const CALL_DEPTH: usize = 64;

/// The program and its layout, which every oracle needs.
#[derive(Debug)]
pub(crate) struct Context<'p> {
    pub program: &'p Program,
    pub layout: Layout,
}

impl<'p> Context<'p> {
    pub(crate) fn new(program: &'p Program) -> Result<Context<'p>, Trouble> {
        Ok(Context { program, layout: Layout::new(program)? })
    }

    pub(crate) fn callee(&self, thread: &Thread, callee: Callee) -> Option<FuncId> {
        let function = match callee {
            Callee::Direct(id) => id,
            Callee::Indirect(pointer) => {
                let address = thread.value(self, pointer, Type::Ptr) as u64;
                self.layout.function(self.program, address)?
            }
        };
        (!self.program.funcs[function].blocks.is_empty()).then_some(function)
    }
}

/// How a thread ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum End {
    Returned(u64),
    Failed,
    /// The thread was stopped by `assume`.
    Blocked,
    /// The thread ended the program.
    Halted,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Frame {
    func: FuncId,
    block: BlockId,
    next: usize,
    regs: Vec<u128>,
    /// For each register, the loads from which its value was computed. Registers beyond the end of the list
    /// have none, so that oracles that do not track dependencies have no cost.
    deps: Vec<Deps>,
    /// The caller's register that gets the result.
    result: Option<Reg>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Thread {
    /// Never empty: the outermost frame outlives the thread, since its registers are observed.
    frames: Vec<Frame>,
    end: Option<End>,
    /// The loads on which the branches so far depended.
    control: Deps,
}

impl Thread {
    /// A thread about to enter `func`, run up to its first visible instruction.
    pub(crate) fn start(cx: &Context, func: FuncId, args: &[u128]) -> Result<Thread, Trouble> {
        let mut thread = Thread {
            frames: vec![Frame::enter(cx, func, args, None)],
            end: None,
            control: Deps::NONE,
        };
        thread.run(cx)?;
        Ok(thread)
    }

    /// An initial thread, run up to its first visible instruction.
    pub(crate) fn initial(cx: &Context, thread: ThreadIdx) -> Result<Thread, Trouble> {
        let init = &cx.program.threads[thread];
        let function = &cx.program.funcs[init.func];
        let types = function.params.iter().map(|p| function.regs[*p].ty);
        let args = init.args.iter().zip(types);
        let args: Vec<u128> =
            args.map(|(a, ty)| cx.layout.constant(*a, ty).unwrap_or_default()).collect();
        Thread::start(cx, init.func, &args)
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    pub(crate) fn fail(&mut self) {
        self.end = Some(End::Failed);
    }

    /// Ends the thread with a result, at any call depth.
    pub(crate) fn exit(&mut self, value: u64) {
        self.frames.truncate(1);
        self.end = Some(End::Returned(value));
    }

    pub(crate) fn outermost(&self, reg: Reg) -> u128 {
        self.frames[0].regs[reg.as_u32() as usize]
    }

    /// The visible instruction at which the thread stands; `None` if the thread has ended.
    pub(crate) fn at<'p>(&self, cx: &Context<'p>) -> Option<&'p InstKind> {
        if self.end.is_some() { None } else { self.next_inst(cx) }
    }

    pub(crate) fn value(&self, cx: &Context, operand: Operand, ty: Type) -> u128 {
        match operand {
            Operand::Reg(reg) => self.top().regs[reg.as_u32() as usize],
            other => cx.layout.constant(other, ty).unwrap_or_default(),
        }
    }

    pub(crate) fn address(&self, cx: &Context, operand: Operand) -> u64 {
        self.value(cx, operand, Type::Ptr) as u64
    }

    /// Sets a register to a value that depends on no load.
    pub(crate) fn set(&mut self, reg: Reg, value: u128) {
        self.set_from(reg, value, Deps::NONE);
    }

    /// Sets a register to a value that depends on some loads.
    pub(crate) fn set_from(&mut self, reg: Reg, value: u128, deps: Deps) {
        let frame = self.top_mut();
        frame.regs[reg.as_u32() as usize] = value;
        frame.set_deps(reg.as_u32() as usize, deps);
    }

    pub(crate) fn deps(&self, operand: Operand) -> Deps {
        match operand {
            Operand::Reg(reg) => {
                self.top().deps.get(reg.as_u32() as usize).copied().unwrap_or_default()
            }
            _ => Deps::NONE,
        }
    }

    /// The loads on which the branches so far depended.
    pub(crate) fn control(&self) -> Deps {
        self.control
    }

    /// Records that an operand decided a branch.
    pub(crate) fn decide(&mut self, operand: Operand) {
        self.control = self.control.and(self.deps(operand));
    }

    /// Moves past the visible instruction and runs up to the next one.
    pub(crate) fn finish_inst(&mut self, cx: &Context) -> Result<(), Trouble> {
        self.top_mut().next += 1;
        self.run(cx)
    }

    /// The values of the arguments of a call or spawn of `func`.
    pub(crate) fn args(&self, cx: &Context, func: FuncId, args: &[Operand]) -> Vec<u128> {
        let function = &cx.program.funcs[func];
        let types = function.params.iter().map(|p| function.regs[*p].ty);
        args.iter().zip(types).map(|(a, ty)| self.value(cx, *a, ty)).collect()
    }

    fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn top_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn next_inst<'p>(&self, cx: &Context<'p>) -> Option<&'p InstKind> {
        let frame = self.top();
        let block = &cx.program.funcs[frame.func].blocks[frame.block];
        block.insts.get(frame.next).map(|inst| &inst.kind)
    }

    fn run(&mut self, cx: &Context) -> Result<(), Trouble> {
        for _ in 0..LOCAL_STEPS {
            if self.end.is_some() {
                return Ok(());
            }
            match self.next_inst(cx) {
                None => self.terminator(cx),
                Some(inst) => {
                    if !self.local(cx, inst)? {
                        return Ok(());
                    }
                }
            }
        }
        Err(Trouble::Budget)
    }

    /// Executes a local instruction; returns `false` if the instruction is visible.
    fn local(&mut self, cx: &Context, inst: &InstKind) -> Result<bool, Trouble> {
        let value = |operand: Operand, ty: Type| self.value(cx, operand, ty);
        let deps = |operands: &[Operand]| {
            operands.iter().fold(Deps::NONE, |all, operand| all.and(self.deps(*operand)))
        };
        let (dst, result, from) = match *inst {
            InstKind::Bin { op, ty, dst, a, b } => {
                match arith::binary(op, ty, value(a, ty), value(b, ty))? {
                    Some(result) => (dst, result, deps(&[a, b])),
                    None => {
                        self.fail();
                        return Ok(true);
                    }
                }
            }
            InstKind::Un { op, ty, dst, a } => {
                (dst, arith::unary(op, ty, value(a, ty))?, deps(&[a]))
            }
            InstKind::Cmp { pred, ty, dst, a, b } => {
                let holds = arith::compare(pred, ty, value(a, ty), value(b, ty))?;
                (dst, holds.into(), deps(&[a, b]))
            }
            InstKind::Cast { op, from, to, dst, a } => {
                (dst, arith::cast(op, from, to, value(a, from))?, deps(&[a]))
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                let taken = if value(cond, Type::BOOL) != 0 { a } else { b };
                (dst, value(taken, ty), deps(&[cond, a, b]))
            }
            InstKind::Move { ty, dst, a } => (dst, value(a, ty), deps(&[a])),
            _ => return self.without_value(cx, inst),
        };
        self.set_from(dst, result, from);
        self.top_mut().next += 1;
        Ok(true)
    }

    /// Local instructions without a result.
    fn without_value(&mut self, cx: &Context, inst: &InstKind) -> Result<bool, Trouble> {
        match inst {
            InstKind::Call { dst, callee, args } => return self.call(cx, *dst, *callee, args),
            InstKind::Assume { cond } if self.value(cx, *cond, Type::BOOL) == 0 => {
                self.end = Some(End::Blocked);
            }
            InstKind::Assert { cond, .. } if self.value(cx, *cond, Type::BOOL) == 0 => self.fail(),
            InstKind::ThreadExit { value } => {
                let value = self.value(cx, *value, Type::I64) as u64;
                self.exit(value);
            }
            InstKind::Assume { cond } | InstKind::Assert { cond, .. } => {
                self.decide(*cond);
                self.top_mut().next += 1;
            }
            InstKind::Yield => self.top_mut().next += 1,
            InstKind::Alloca { .. } | InstKind::Malloc { .. } | InstKind::Free { .. } => {
                return Trouble::unsupported("allocation");
            }
            InstKind::Fail { .. } => self.fail(),
            InstKind::Halt => self.end = Some(End::Halted),
            InstKind::Extent { .. } => return Trouble::unsupported("extent"),
            InstKind::Format { .. } => return Trouble::unsupported("format"),
            InstKind::Unsupported { what } => return Trouble::unsupported(what.as_str()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn call(
        &mut self,
        cx: &Context,
        dst: Option<Reg>,
        callee: Callee,
        args: &[Operand],
    ) -> Result<bool, Trouble> {
        let Some(func) = cx.callee(self, callee) else {
            self.fail();
            return Ok(true);
        };
        if self.frames.len() == CALL_DEPTH {
            return Err(Trouble::Budget);
        }
        if let Callee::Indirect(pointer) = callee {
            self.decide(pointer);
        }
        let mut frame = Frame::enter(cx, func, &self.args(cx, func, args), dst);
        for (index, arg) in args.iter().enumerate() {
            frame.set_deps(index, self.deps(*arg));
        }
        self.top_mut().next += 1;
        self.frames.push(frame);
        Ok(true)
    }

    fn terminator(&mut self, cx: &Context) {
        let frame = self.top();
        let target = match &cx.program.funcs[frame.func].blocks[frame.block].term.kind {
            TerminatorKind::Jump(to) => *to,
            TerminatorKind::Branch { cond, then, els } => {
                self.decide(*cond);
                if self.value(cx, *cond, Type::BOOL) != 0 { *then } else { *els }
            }
            TerminatorKind::Switch { ty, value, cases, default } => {
                self.decide(*value);
                let value = self.value(cx, *value, *ty);
                cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, to)| *to)
            }
            TerminatorKind::Return(operand) => return self.ret(cx, *operand),
            TerminatorKind::Unreachable => return self.fail(),
        };
        let frame = self.top_mut();
        (frame.block, frame.next) = (target, 0);
    }

    fn ret(&mut self, cx: &Context, operand: Option<Operand>) {
        let ty = cx.program.funcs[self.top().func].ret.unwrap_or(Type::I64);
        let value = operand.map_or(0, |operand| self.value(cx, operand, ty));
        let deps = operand.map_or(Deps::NONE, |operand| self.deps(operand));
        if self.frames.len() == 1 {
            return self.exit(value as u64);
        }
        let result = self.frames.pop().and_then(|frame| frame.result);
        if let Some(reg) = result {
            self.set_from(reg, value, deps);
        }
    }
}

impl Frame {
    fn enter(cx: &Context, func: FuncId, args: &[u128], result: Option<Reg>) -> Frame {
        let function = &cx.program.funcs[func];
        let mut regs = vec![0; function.regs.len()];
        regs[..args.len()].copy_from_slice(args);
        Frame { func, block: BlockId::from_u32(0), next: 0, regs, deps: Vec::new(), result }
    }

    fn set_deps(&mut self, index: usize, deps: Deps) {
        match self.deps.get_mut(index) {
            Some(old) => *old = deps,
            None if deps == Deps::NONE => {}
            None => {
                self.deps.resize(index, Deps::NONE);
                self.deps.push(deps);
            }
        }
    }
}
