//! Generating the code of one function, statement by statement.

use super::config::{Orders, Statement};
use super::{ELEMENTS, Plan};
use raddle_ir::Mnemonic;
use raddle_ir::{
    Access, BinOp, CastOp, FenceKind, Function, FunctionBuilder, GlobalId, InstKind, IntPred,
    Operand, Order, Pred, Reg, RmwOp, TerminatorKind, Type,
};

/// The maximum nesting of branches, loops and critical sections.
const NESTING: usize = 2;

pub(super) const LOAD_ORDERS: &[Order] =
    &[Order::Relaxed, Order::Acquire, Order::SeqCst, Order::Asm, Order::AsmAcquire];
pub(super) const STORE_ORDERS: &[Order] =
    &[Order::Relaxed, Order::Release, Order::SeqCst, Order::Asm, Order::AsmRelease];
pub(super) const UPDATE_ORDERS: &[Order] =
    &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst, Order::Asm];
const RMW_OPS: &[RmwOp] = &[
    RmwOp::Xchg,
    RmwOp::Add,
    RmwOp::Sub,
    RmwOp::And,
    RmwOp::Nand,
    RmwOp::Or,
    RmwOp::Xor,
    RmwOp::Max,
    RmwOp::UMin,
];
const BIN_OPS: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
];

pub(super) struct Body<'p, 'c> {
    pub(super) plan: &'p mut Plan<'c>,
    pub(super) function: FunctionBuilder,
    /// Registers with a useful value.
    pub(super) values: Vec<(Reg, Type)>,
    /// Registers that hold loaded values, to be observed.
    pub(super) loaded: Vec<Reg>,
    pub(super) held: Vec<GlobalId>,
    nesting: usize,
    registers: usize,
    blocks: usize,
    is_helper: bool,
}

impl<'p, 'c> Body<'p, 'c> {
    /// `helper` is the parameter and result type of a helper function; `None` for the function of a thread.
    pub(super) fn new(plan: &'p mut Plan<'c>, name: String, helper: Option<Type>) -> Body<'p, 'c> {
        let mut function = FunctionBuilder::new(name);
        let mut values = Vec::new();
        if let Some(ty) = helper {
            values.push((function.param(Some("arg"), ty), ty));
            function.returns(ty);
        }
        Body {
            plan,
            function,
            values,
            loaded: Vec::new(),
            held: Vec::new(),
            nesting: 0,
            registers: 0,
            blocks: 0,
            is_helper: helper.is_some(),
        }
    }

    /// The function, and the registers that hold its loaded values.
    pub(super) fn finish(mut self) -> (Function, Vec<Reg>) {
        let result = self.is_helper.then(|| self.operand(Type::I64));
        self.function.ret(result);
        (self.function.finish(), self.loaded)
    }

    pub(super) fn statements(&mut self, mut budget: usize) {
        while budget > 0 {
            let nested = self.statement(budget - 1);
            budget -= 1 + nested;
        }
    }

    /// Emits one statement; returns the number of statements nested in it, at most `limit`.
    fn statement(&mut self, limit: usize) -> usize {
        match self.draw() {
            Statement::Load => self.load(),
            Statement::Store => self.store(),
            Statement::Rmw => self.rmw(),
            Statement::CmpXchg => self.cmpxchg(),
            Statement::Fence => self.fence(),
            Statement::StoreFence => self.push(InstKind::Fence { kind: FenceKind::StoreStore }),
            Statement::Index => self.index(),
            Statement::Depend => self.depend(),
            Statement::Arithmetic => self.arithmetic(),
            Statement::Assume => {
                let cond = self.condition();
                self.push(InstKind::Assume { cond });
            }
            Statement::Assert => {
                let cond = self.condition();
                self.push(InstKind::Assert { cond, message: "generated".into() });
            }
            Statement::Choose => self.choose(),
            Statement::Await => self.await_value(),
            Statement::Wait => self.wait(),
            Statement::Signal => self.signal(),
            Statement::Broadcast => self.broadcast(),
            Statement::Post => self.post(),
            Statement::Take => self.take(),
            Statement::Exclusive => return self.exclusive(limit),
            Statement::SameWay => self.same_way(),
            Statement::Branch => return self.branch(limit),
            Statement::Repeat => return self.repeat(limit),
            Statement::Lock => return self.critical_section(limit),
            Statement::TryLock => return self.try_section(limit),
            Statement::Semaphore => return self.semaphore_section(limit),
            Statement::ReadLock => return self.read_section(limit),
            Statement::WriteLock => return self.write_section(limit),
            Statement::Call => return self.call(limit),
            Statement::Spawn => return self.spawn(limit),
        }
        0
    }

    fn draw(&mut self) -> Statement {
        let mut table = self.plan.config.weights.table();
        table.retain(|(weight, statement)| *weight > 0 && self.makes_sense(*statement));
        let total: u32 = table.iter().map(|(weight, _)| weight).sum();
        let mut at = if total == 0 { 0 } else { self.plan.rng.u32(..total) };
        for (weight, statement) in table {
            if at < weight {
                return statement;
            }
            at -= weight;
        }
        Statement::Store
    }

    fn makes_sense(&self, statement: Statement) -> bool {
        let free = self.plan.mutexes.len() > self.held.len();
        let nests = self.nesting < NESTING;
        match statement {
            Statement::Branch | Statement::Repeat => nests,
            Statement::Lock | Statement::TryLock => nests && free,
            Statement::Wait => !self.held.is_empty() && !self.plan.conditions.is_empty(),
            Statement::Signal | Statement::Broadcast => !self.plan.conditions.is_empty(),
            Statement::Semaphore => nests && !self.plan.semaphores.is_empty(),
            Statement::Post | Statement::Take => !self.plan.semaphores.is_empty(),
            Statement::ReadLock | Statement::WriteLock => nests && !self.plan.rwlocks.is_empty(),
            Statement::Call | Statement::Spawn => !self.is_helper,
            Statement::Depend => !self.values.is_empty(),
            Statement::Exclusive => nests,
            _ => true,
        }
    }

    pub(super) fn push(&mut self, kind: InstKind) {
        self.function.push(kind);
    }

    pub(super) fn register(&mut self, ty: Type) -> Reg {
        self.registers += 1;
        self.function.reg(Some(&format!("r{}", self.registers)), ty)
    }

    pub(super) fn new_block(&mut self) -> raddle_ir::BlockId {
        self.blocks += 1;
        self.function.block(Some(&format!("l{}", self.blocks)))
    }

    /// Emits statements at the next nesting level; returns their number.
    pub(super) fn nested(&mut self, limit: usize) -> usize {
        let count = self.plan.rng.usize(..=limit.min(2));
        self.nesting += 1;
        self.statements(count);
        self.nesting -= 1;
        count
    }

    /// A register for a loaded value.
    pub(super) fn destination(&mut self, ty: Type) -> Reg {
        let reg = self.register(ty);
        self.loaded.push(reg);
        self.values.push((reg, ty));
        reg
    }

    /// The value of a register, or a constant.
    pub(super) fn operand(&mut self, ty: Type) -> Operand {
        if self.values.is_empty() || self.plan.rng.u32(..4) > 0 {
            return self.plan.constant(ty);
        }
        let (reg, from) = self.plan.pick(&self.values);
        self.converted(reg, from, ty)
    }

    pub(super) fn converted(&mut self, reg: Reg, from: Type, to: Type) -> Operand {
        if from == to {
            return reg.into();
        }
        let op = match from.bits() > to.bits() {
            true => CastOp::Trunc,
            false if self.plan.rng.bool() => CastOp::ZExt,
            false => CastOp::SExt,
        };
        let dst = self.register(to);
        self.push(InstKind::Cast { op, from, to, dst, a: reg.into() });
        dst.into()
    }

    pub(super) fn scalar(&mut self) -> (Operand, Type) {
        let (global, ty) = self.plan.pick(&self.plan.scalars.clone());
        (global.into(), ty)
    }

    pub(super) fn access(&mut self, orders: &[Order]) -> Access {
        match self.plan.config.orders {
            Orders::Asm => Access::ASM,
            Orders::All => Access::new(self.plan.pick(orders)),
        }
    }

    fn load(&mut self) {
        let (addr, ty) = self.scalar();
        self.load_from(addr, ty);
    }

    pub(super) fn load_from(&mut self, addr: Operand, ty: Type) {
        let access = self.access(LOAD_ORDERS);
        let dst = self.destination(ty);
        self.push(InstKind::Load { dst, ty, addr, access });
    }

    fn await_value(&mut self) {
        let (addr, ty) = self.scalar();
        let access = self.access(LOAD_ORDERS);
        let pred = self.plan.pick(&[IntPred::Ne, IntPred::Eq, IntPred::Ugt]);
        let value = Operand::Int(self.plan.rng.u128(..=1));
        let dst = self.destination(ty);
        self.push(InstKind::Await { dst, ty, pred, addr, value, access });
    }

    fn store(&mut self) {
        let (addr, ty) = self.scalar();
        self.store_to(addr, ty);
    }

    pub(super) fn store_to(&mut self, addr: Operand, ty: Type) {
        let value = self.operand(ty);
        let access = self.access(STORE_ORDERS);
        self.push(InstKind::Store { ty, addr, value, access });
    }

    fn rmw(&mut self) {
        let (addr, ty) = self.scalar();
        let value = self.operand(ty);
        let (op, access) = (self.plan.pick(RMW_OPS), self.access(UPDATE_ORDERS));
        let dst = self.destination(ty);
        self.push(InstKind::Rmw { op, ty, dst, addr, value, access, when: None });
    }

    fn cmpxchg(&mut self) {
        let (addr, ty) = self.scalar();
        let expected = match self.plan.rng.bool() {
            true => Operand::Int(0),
            false => self.operand(ty),
        };
        let new = self.operand(ty);
        let success = self.access(UPDATE_ORDERS);
        let failure = if success.order == Order::Asm { Order::Asm } else { Order::Relaxed };
        let dst = self.destination(ty);
        let ok = self.register(Type::BOOL);
        let weak = false;
        self.push(InstKind::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure });
    }

    fn fence(&mut self) {
        let full = self.plan.rng.bool();
        let (_, any) = self.plan.pick(FenceKind::TABLE);
        self.push(InstKind::Fence { kind: if full { FenceKind::Full } else { any } });
    }

    /// An access to the array at an index that depends on a loaded value.
    fn index(&mut self) {
        let (array, ty) = self.plan.array;
        let mut addr = Operand::from(array);
        if !self.values.is_empty() {
            let (reg, from) = self.plan.pick(&self.values);
            let index = self.converted(reg, from, Type::I64);
            let offset =
                self.arith(BinOp::And, Type::I64, index, Operand::Int(ELEMENTS as u128 - 1));
            let bytes = Operand::Int(ty.bytes().into());
            let offset = self.arith(BinOp::Mul, Type::I64, offset, bytes);
            let pointer = self.register(Type::Ptr);
            let (op, from, to) = (CastOp::IntToPtr, Type::I64, Type::Ptr);
            self.push(InstKind::Cast { op, from, to, dst: pointer, a: offset });
            addr = self.arith(BinOp::Add, Type::Ptr, addr, pointer.into());
        }
        match self.plan.rng.bool() {
            true => self.load_from(addr, ty),
            false => self.store_to(addr, ty),
        }
    }

    pub(super) fn arith(&mut self, op: BinOp, ty: Type, a: Operand, b: Operand) -> Operand {
        let dst = self.register(ty);
        self.push(InstKind::Bin { op, ty, dst, a, b });
        dst.into()
    }

    fn arithmetic(&mut self) {
        let ty = self.plan.pick(&self.plan.config.types.clone());
        let (op, a, b) = (self.plan.pick(BIN_OPS), self.operand(ty), self.operand(ty));
        if let Operand::Reg(reg) = self.arith(op, ty, a, b) {
            self.values.push((reg, ty));
        }
    }

    /// A comparison of a loaded value, or of a constant, with a small constant.
    pub(super) fn condition(&mut self) -> Operand {
        let preds =
            [IntPred::Eq, IntPred::Ne, IntPred::Ult, IntPred::Ugt, IntPred::Sle, IntPred::Sge];
        let pred = Pred::Int(self.plan.pick(&preds));
        let b = Operand::Int(self.plan.rng.u128(..=2));
        let (a, ty) = match self.values.is_empty() {
            true => (Operand::Int(1), Type::I32),
            false => {
                let (reg, ty) = self.plan.pick(&self.values);
                (reg.into(), ty)
            }
        };
        let dst = self.register(Type::BOOL);
        self.push(InstKind::Cmp { pred, ty, dst, a, b });
        dst.into()
    }

    fn choose(&mut self) {
        let ty = self.plan.pick(&self.plan.config.types.clone());
        let dst = self.destination(ty);
        let lo = self.plan.rng.u64(..=1);
        let hi = lo + self.plan.rng.u64(..=1);
        self.push(InstKind::Choose { dst, ty, lo, hi, partial: false });
    }

    fn branch(&mut self, limit: usize) -> usize {
        let cond = self.condition();
        let (then, els, join) = (self.new_block(), self.new_block(), self.new_block());
        self.function.branch(cond, then, els);
        self.function.switch_to(then);
        let in_then = self.nested(limit);
        self.function.jump(join);
        self.function.switch_to(els);
        let in_els = self.nested(limit - in_then);
        self.function.jump(join);
        self.function.switch_to(join);
        in_then + in_els
    }

    /// A branch or a switch whose targets are all the next statement.
    fn same_way(&mut self) {
        let next = self.new_block();
        if self.values.is_empty() || self.plan.rng.bool() {
            let cond = self.condition();
            self.function.branch(cond, next, next);
        } else {
            let (reg, ty) = self.plan.pick(&self.values);
            let cases = (0..self.plan.rng.u128(..=2)).map(|case| (case, next)).collect();
            let (value, default) = (reg.into(), next);
            self.function.end(TerminatorKind::Switch { ty, value, cases, default });
        }
        self.function.switch_to(next);
    }

    /// A loop of two rounds.
    fn repeat(&mut self, limit: usize) -> usize {
        let counter = self.register(Type::I32);
        let (head, done) = (self.new_block(), self.new_block());
        self.push(InstKind::Move { ty: Type::I32, dst: counter, a: Operand::Int(0) });
        self.function.jump(head);
        self.function.switch_to(head);
        let inside = self.nested(limit.min(1));
        let (a, b) = (counter.into(), Operand::Int(1));
        self.push(InstKind::Bin { op: BinOp::Add, ty: Type::I32, dst: counter, a, b });
        let again = self.register(Type::BOOL);
        let pred = Pred::Int(IntPred::Ult);
        self.push(InstKind::Cmp { pred, ty: Type::I32, dst: again, a, b: Operand::Int(2) });
        self.function.branch(again, head, done);
        self.function.switch_to(done);
        inside
    }
}
