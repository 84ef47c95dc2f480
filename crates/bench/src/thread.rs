//! A thin layer over the builder: a program whose threads each run one function without
//! arguments, over 32-bit cells.

use raddle_ir::{
    Access, BinOp, BlockId, CastOp, FunctionBuilder, Global, GlobalId, InstKind, IntPred, Operand,
    Pred, ProgramBuilder, Reg, RmwOp, Type, Verified, verify,
};

/// The type of every cell and of every value.
pub const CELL: Type = Type::I32;
/// Bytes between two cells of an array.
pub const STRIDE: i64 = CELL.bytes() as i64;

/// Builds a program thread by thread.
#[derive(Debug)]
pub struct Threads {
    builder: ProgramBuilder,
}

impl Threads {
    pub fn new(name: impl Into<String>) -> Threads {
        Threads { builder: ProgramBuilder::new(name) }
    }

    pub fn cell(&mut self, name: &str, value: u32) -> GlobalId {
        self.builder.scalar(name, CELL, value.into())
    }

    /// `count` cells that start as zero.
    pub fn cells(&mut self, name: &str, count: u32) -> GlobalId {
        let size = u64::from(count) * u64::from(CELL.bytes());
        self.builder.global(Global::zeroed(name, size, CELL.bytes()))
    }

    /// Adds a thread that runs the code that `body` emits.
    pub fn thread(&mut self, name: impl Into<String>, body: impl FnOnce(&mut Code)) {
        let name = name.into();
        let mut code = Code { function: FunctionBuilder::new(&name) };
        body(&mut code);
        code.function.ret(None);
        let function = self.builder.function(code.function.finish());
        self.builder.thread(name, function, Vec::new());
    }

    pub fn finish(self) -> Verified {
        verify(self.builder.finish()).expect("programs of the catalogue are well-formed")
    }
}

/// The code of one thread. A method that computes a value returns its register.
#[derive(Debug)]
pub struct Code {
    function: FunctionBuilder,
}

impl Code {
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.function.reg(None, ty)
    }

    fn emit(&mut self, ty: Type, inst: impl FnOnce(Reg) -> InstKind) -> Reg {
        let dst = self.reg(ty);
        self.function.push(inst(dst));
        dst
    }

    pub fn load(&mut self, addr: impl Into<Operand>) -> Reg {
        let addr = addr.into();
        self.emit(CELL, |dst| InstKind::Load { dst, ty: CELL, addr, access: Access::ASM })
    }

    pub fn store(&mut self, addr: impl Into<Operand>, value: impl Into<Operand>) {
        let (addr, value) = (addr.into(), value.into());
        self.function.push(InstKind::Store { ty: CELL, addr, value, access: Access::ASM });
    }

    pub fn fetch_add(&mut self, addr: impl Into<Operand>, value: u64) -> Reg {
        let (addr, value) = (addr.into(), value.into());
        let op = RmwOp::Add;
        let access = Access::ASM;
        self.emit(CELL, |dst| InstKind::Rmw { op, ty: CELL, dst, addr, value, access, when: None })
    }

    /// Returns whether the cell held `expected` and now holds `new`.
    pub fn cas(
        &mut self,
        addr: impl Into<Operand>,
        expected: impl Into<Operand>,
        new: impl Into<Operand>,
    ) -> Reg {
        let ok = self.reg(Type::BOOL);
        let dst = self.reg(CELL);
        self.function.push(InstKind::CmpXchg {
            ty: CELL,
            dst,
            ok,
            addr: addr.into(),
            expected: expected.into(),
            new: new.into(),
            weak: false,
            success: Access::ASM,
            failure: Access::ASM.order,
        });
        ok
    }

    pub fn lock(&mut self, addr: impl Into<Operand>) {
        self.function.push(InstKind::Lock { addr: addr.into() });
    }

    pub fn unlock(&mut self, addr: impl Into<Operand>) {
        self.function.push(InstKind::Unlock { addr: addr.into() });
    }

    pub fn bin(&mut self, op: BinOp, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (a, b) = (a.into(), b.into());
        self.emit(CELL, |dst| InstKind::Bin { op, ty: CELL, dst, a, b })
    }

    /// Writes an existing register, such as a loop variable.
    pub fn assign(&mut self, dst: Reg, value: impl Into<Operand>) {
        self.function.push(InstKind::Move { ty: CELL, dst, a: value.into() });
    }

    pub fn compare(&mut self, pred: IntPred, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (pred, a, b) = (Pred::Int(pred), a.into(), b.into());
        self.emit(Type::BOOL, |dst| InstKind::Cmp { pred, ty: CELL, dst, a, b })
    }

    pub fn assert(&mut self, cond: impl Into<Operand>, message: &str) {
        self.function.push(InstKind::Assert { cond: cond.into(), message: message.to_owned() });
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, a: Reg) -> Reg {
        let a = Operand::Reg(a);
        self.emit(to, |dst| InstKind::Cast { op, from, to, dst, a })
    }

    /// The address of a cell of an array, by a computed index.
    pub fn element(&mut self, array: GlobalId, index: Reg) -> Reg {
        let wide = self.cast(CastOp::ZExt, CELL, Type::I64, index);
        let (op, a, b) = (BinOp::Mul, Operand::Reg(wide), Operand::Int(STRIDE as u128));
        let bytes = self.emit(Type::I64, |dst| InstKind::Bin { op, ty: Type::I64, dst, a, b });
        let offset = self.cast(CastOp::IntToPtr, Type::I64, Type::Ptr, bytes);
        let (op, a, b) = (BinOp::Add, Operand::Global(array, 0), Operand::Reg(offset));
        self.emit(Type::Ptr, |dst| InstKind::Bin { op, ty: Type::Ptr, dst, a, b })
    }

    pub fn block(&mut self) -> BlockId {
        self.function.block(None)
    }

    /// Ends the current block with a jump and continues in `to`.
    pub fn fall_into(&mut self, to: BlockId) {
        self.function.jump(to);
        self.function.switch_to(to);
    }

    pub fn jump(&mut self, to: BlockId) {
        self.function.jump(to);
    }

    /// Ends the current block with a branch and continues in `els`.
    pub fn branch_else(&mut self, cond: Reg, then: BlockId, els: BlockId) {
        self.function.branch(cond, then, els);
        self.function.switch_to(els);
    }

    pub fn switch_to(&mut self, block: BlockId) {
        self.function.switch_to(block);
    }
}

/// The address of cell `index` of an array.
pub fn at(array: GlobalId, index: u32) -> Operand {
    Operand::Global(array, i64::from(index) * STRIDE)
}
