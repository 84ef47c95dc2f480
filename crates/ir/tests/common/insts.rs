//! Function bodies with every kind of instruction. All registers are assigned in the entry block, so any
//! register may be read in all other blocks.

use super::{Choices, TYPES, constant, loc, name};
use raddle_ir::*;

/// The number of kinds that [`Body::instruction`] makes.
const KINDS: usize = 35;

struct Body<'a, 'c> {
    c: &'a mut Choices<'c>,
    p: &'a Program,
    /// The first of two registers for each of [`TYPES`].
    first: usize,
}

pub(super) fn body(c: &mut Choices<'_>, p: &mut Program, id: FuncId) {
    let mut f = p.funcs[id].clone();
    let first = f.regs.len();
    for index in 0..2 * TYPES.len() {
        let name = c.flip().then(|| name(c, 10 + index));
        let reg = f.regs.push(RegInfo::new(TYPES[index / 2], name));
        let known = p.types.len();
        if known > 0 && c.flip() {
            f.regs[reg].object = Some(SourceId::from_u32(c.below(known) as u32));
        }
    }
    let count = 1 + c.below(4);
    for index in 0..count {
        let mut insts = Vec::new();
        if index == 0 {
            for (reg, info) in f.regs.iter().skip(f.params.len()) {
                let a = constant(c, p, info.ty);
                insts.push(Inst {
                    kind: InstKind::Move { ty: info.ty, dst: reg, a },
                    loc: loc(c, p),
                });
            }
        }
        let mut body = Body { c, p, first };
        for _ in 0..body.c.below(8) {
            let kind = body.instruction();
            insts.push(Inst { kind, loc: loc(body.c, p) });
        }
        let term = Terminator { kind: body.terminator(count, f.ret), loc: loc(body.c, p) };
        let name = c.flip().then(|| name(c, index));
        f.blocks.push(Block { name, insts, term });
    }
    p.funcs[id] = f;
}

impl Body<'_, '_> {
    fn reg(&mut self, ty: Type) -> Reg {
        let index = TYPES.iter().position(|t| *t == ty).expect("one of TYPES");
        Reg::from_u32((self.first + 2 * index + self.c.below(2)) as u32)
    }

    fn op(&mut self, ty: Type) -> Operand {
        if self.c.flip() { Operand::Reg(self.reg(ty)) } else { constant(self.c, self.p, ty) }
    }

    /// An address to write to, which is not that of a constant global.
    fn addr(&mut self) -> Operand {
        match self.op(Type::Ptr) {
            Operand::Global(id, _) if self.p.globals[id].constant => Operand::Int(64),
            other => other,
        }
    }

    fn int(&mut self) -> Type {
        self.c.pick(&[Type::BOOL, Type::I8, Type::I32, Type::I64, Type::I128, Type::Int(37)])
    }

    fn float(&mut self) -> Type {
        self.c.pick(&[Type::F32, Type::F64])
    }

    fn access(&mut self, orders: &[Order], exclusive: bool) -> Access {
        let order = self.c.pick(orders);
        let exclusive = exclusive && self.c.flip();
        Access { volatile: self.c.flip(), exclusive, ..Access::new(order) }
    }

    fn load_access(&mut self, exclusive: bool) -> Access {
        use Order::*;
        self.access(&[Plain, Relaxed, Acquire, SeqCst, Asm, AsmAcquire, AsmAcquirePc], exclusive)
    }

    fn store_access(&mut self, exclusive: bool) -> Access {
        use Order::*;
        self.access(&[Plain, Relaxed, Release, SeqCst, Asm, AsmRelease], exclusive)
    }

    fn call(&mut self) -> (Callee, Vec<Operand>, Option<Type>) {
        if self.c.flip() {
            let to = self.op(Type::Ptr);
            let args = (0..self.c.below(3)).map(|_| {
                let ty = self.c.pick(TYPES);
                self.op(ty)
            });
            return (Callee::Indirect(to), args.collect(), Some(Type::I64));
        }
        let id = FuncId::from_u32(self.c.below(self.p.funcs.len()) as u32);
        let p = self.p;
        let f = &p.funcs[id];
        let args = f.params.iter().map(|reg| self.op(f.regs[*reg].ty)).collect();
        (Callee::Direct(id), args, f.ret)
    }

    fn cast(&mut self) -> InstKind {
        let (int, float) = (self.int(), self.float());
        let (op, from, to) = self.c.pick(&[
            (CastOp::Trunc, Type::I64, Type::I8),
            (CastOp::ZExt, Type::BOOL, Type::I32),
            (CastOp::SExt, Type::I32, Type::I128),
            (CastOp::BitCast, Type::I32, Type::F32),
            (CastOp::PtrToInt, Type::Ptr, int),
            (CastOp::IntToPtr, int, Type::Ptr),
            (CastOp::FpTrunc, Type::F64, Type::F32),
            (CastOp::FpExt, Type::F32, Type::F64),
            (CastOp::FpToUi, float, int),
            (CastOp::FpToSi, float, int),
            (CastOp::UiToFp, int, float),
            (CastOp::SiToFp, int, float),
        ]);
        InstKind::Cast { op, from, to, dst: self.reg(to), a: self.op(from) }
    }

    fn cmpxchg(&mut self) -> InstKind {
        use Order::*;
        let ty = self.c.pick(TYPES);
        let (orders, failures): (&[Order], &[Order]) = self.c.pick(&[
            (&[Plain][..], &[Plain][..]),
            (&[Relaxed, Acquire, Release, AcqRel, SeqCst], &[Relaxed, Acquire, SeqCst]),
            (&[Asm, AsmAcquire, AsmRelease], &[Asm, AsmAcquire, AsmAcquirePc]),
        ]);
        let dst = self.reg(ty);
        let others = [0, 1].map(|n| Reg::from_u32((self.first + n) as u32));
        let ok = others.into_iter().find(|ok| *ok != dst).expect("there are two");
        InstKind::CmpXchg {
            ty,
            dst,
            ok,
            addr: self.addr(),
            expected: self.op(ty),
            new: self.op(ty),
            weak: self.c.flip(),
            success: self.access(orders, false),
            failure: self.c.pick(failures),
        }
    }

    fn rmw(&mut self) -> InstKind {
        let op = self.c.word();
        let ty = match op {
            RmwOp::Xchg => self.c.pick(TYPES),
            RmwOp::FAdd | RmwOp::FSub => self.float(),
            RmwOp::Add | RmwOp::Sub if self.c.flip() => Type::Ptr,
            _ => self.int(),
        };
        let order = self.c.word();
        let access = self.access(&[order], false);
        let (dst, addr, value) = (self.reg(ty), self.addr(), self.op(ty));
        let waits = ty.is_int_like() && self.c.flip();
        let when = waits.then(|| (self.c.word(), self.op(ty)));
        InstKind::Rmw { op, ty, dst, addr, value, access, when }
    }

    fn bin(&mut self) -> InstKind {
        let op: BinOp = self.c.word();
        let ty = match op {
            BinOp::Add | BinOp::Sub if self.c.flip() => Type::Ptr,
            _ if op.is_float() => self.float(),
            _ => self.int(),
        };
        InstKind::Bin { op, ty, dst: self.reg(ty), a: self.op(ty), b: self.op(ty) }
    }

    fn cmp(&mut self) -> InstKind {
        let (pred, ty) = match self.c.below(3) {
            0 => (Pred::Int(self.c.word()), self.int()),
            1 => (Pred::Int(self.c.word()), Type::Ptr),
            _ => (Pred::Float(self.c.word()), self.float()),
        };
        InstKind::Cmp { pred, ty, dst: self.reg(Type::BOOL), a: self.op(ty), b: self.op(ty) }
    }

    fn choose(&mut self) -> InstKind {
        let ty = self.c.pick(&[Type::BOOL, Type::I32, Type::I64, Type::Int(37)]);
        let (a, b) = (self.c.bits(ty) as u64, self.c.bits(ty) as u64);
        InstKind::Choose { dst: self.reg(ty), ty, lo: a.min(b), hi: a.max(b), partial: a % 2 == 0 }
    }

    fn instruction(&mut self) -> InstKind {
        use InstKind::*;
        let ty = self.c.pick(TYPES);
        let message = self.c.pick(&["", "x == 1", "\"quoted\"\n\u{1}"]).to_owned();
        match self.c.below(KINDS) {
            0 => self.bin(),
            1 => match self.c.word() {
                UnOp::FNeg => {
                    let ty = self.float();
                    Un { op: UnOp::FNeg, ty, dst: self.reg(ty), a: self.op(ty) }
                }
                op => {
                    let ty = self.int();
                    Un { op, ty, dst: self.reg(ty), a: self.op(ty) }
                }
            },
            2 => self.cmp(),
            3 => self.cast(),
            4 => {
                let cond = self.op(Type::BOOL);
                Select { ty, dst: self.reg(ty), cond, a: self.op(ty), b: self.op(ty) }
            }
            5 => Move { ty, dst: self.reg(ty), a: self.op(ty) },
            6 => {
                let (callee, args, ret) = self.call();
                let dst = ret.filter(|_| self.c.flip()).map(|ty| self.reg(ty));
                Call { dst, callee, args }
            }
            7 => {
                let (dst, size) = (self.reg(Type::Ptr), self.op(Type::I64));
                Alloca { dst, size, align: 16, private: self.c.flip() }
            }
            8 => {
                let (dst, size) = (self.reg(Type::Ptr), self.op(Type::I64));
                Malloc { dst, size, align: 1 << self.c.below(8), zeroed: self.c.flip() }
            }
            9 => Free { addr: self.addr() },
            10 => {
                let access = Access { raw: self.c.flip(), ..self.load_access(true) };
                Load { dst: self.reg(ty), ty, addr: self.op(Type::Ptr), access }
            }
            11 => {
                let access = self.store_access(false);
                Store { ty, addr: self.addr(), value: self.op(ty), access }
            }
            12 => self.rmw(),
            13 => self.cmpxchg(),
            14 => {
                let (ok, access) = (self.reg(Type::BOOL), self.store_access(true));
                StoreCond { ty, ok, addr: self.addr(), value: self.op(ty), access }
            }
            15 => Fence { kind: self.c.word() },
            16 => {
                let (callee, args, _) = self.call();
                Spawn { dst: self.reg(Type::I64), callee, args }
            }
            17 => {
                let dst = self.c.flip().then(|| self.reg(Type::I64));
                Join { dst, thread: self.op(Type::I64) }
            }
            18 => SelfId { dst: self.reg(Type::I64) },
            19 => ThreadExit { value: self.op(Type::I64) },
            20 => Yield,
            21 => Lock { addr: self.addr() },
            22 => TryLock { dst: self.reg(Type::BOOL), addr: self.addr() },
            23 => Unlock { addr: self.addr() },
            24 => {
                let woken = self.c.flip().then(|| self.reg(Type::BOOL));
                CondWait { woken, cond: self.addr(), mutex: self.addr() }
            }
            25 => CondSignal { cond: self.addr() },
            26 => CondBroadcast { cond: self.addr() },
            27 => {
                let ty = if self.c.flip() { Type::Ptr } else { self.int() };
                let (access, pred) = (self.load_access(false), self.c.word());
                Await {
                    dst: self.reg(ty),
                    ty,
                    pred,
                    addr: self.op(Type::Ptr),
                    value: self.op(ty),
                    access,
                }
            }
            28 => Assume { cond: self.op(Type::BOOL) },
            29 => Assert { cond: self.op(Type::BOOL), message },
            30 if self.c.flip() => self.choose(),
            31 => Fail { kind: self.c.word(), message },
            32 => Halt,
            33 => {
                let (dst, format, args) =
                    (self.reg(Type::I32), self.op(Type::Ptr), self.op(Type::Ptr));
                let to = self.c.flip().then(|| (self.addr(), self.op(Type::I64)));
                Format { dst, format, args, to }
            }
            34 => Extent { dst: self.reg(Type::I64), addr: self.op(Type::Ptr) },
            _ => Unsupported { what: message },
        }
    }

    fn terminator(&mut self, blocks: usize, ret: Option<Type>) -> TerminatorKind {
        let mut to = || BlockId::from_u32(self.c.below(blocks) as u32);
        let (a, b) = (to(), to());
        match self.c.below(5) {
            0 => TerminatorKind::Return(ret.map(|ty| self.op(ty))),
            1 => TerminatorKind::Jump(a),
            2 => TerminatorKind::Branch { cond: self.op(Type::BOOL), then: a, els: b },
            3 => {
                let ty = self.int();
                let mut cases: Vec<_> =
                    (0..self.c.below(4)).map(|_| (self.c.bits(ty), b)).collect();
                cases.sort_unstable_by_key(|(value, _)| *value);
                cases.dedup_by_key(|(value, _)| *value);
                TerminatorKind::Switch { ty, value: self.op(ty), cases, default: a }
            }
            _ => TerminatorKind::Unreachable,
        }
    }
}
