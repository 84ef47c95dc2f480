//! Loads, stores and read-modify-writes of a thread.

use super::emit::{Emit, constant};
use super::regs;
use crate::ast::{Arg, ArgKind, At, Mem, Name};
use raddle_ir::{Access, BinOp, CastOp, Diagnostic, InstKind, Operand, Order, Reg, RmwOp, Type};

/// The size of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Byte,
    Half,
    /// The test's word.
    Word,
}

const EXCLUSIVE: Access = Access { exclusive: true, ..Access::ASM };

impl Emit<'_, '_> {
    pub(super) fn size_type(&self, size: Size) -> Type {
        match size {
            Size::Byte => Type::I8,
            Size::Half => Type::I16,
            Size::Word => self.word().ty(),
        }
    }

    // ---- addresses ----

    pub(super) fn mem_arg(&mut self, arg: &Arg) -> Result<Operand, Diagnostic> {
        match &arg.kind {
            ArgKind::Mem(mem) if mem.writeback => Err(self
                .error(arg.at, "this instruction cannot update its base register")
                .expected("an address without `!`")),
            ArgKind::Mem(mem) => self.address(mem, arg.at),
            ArgKind::Name(_) | ArgKind::Int(_) => {
                Err(self.error(arg.at, "this is not an address").expected("a memory operand"))
            }
        }
    }

    /// The address of `base`, `index` and displacement. A base that is not a register is a
    /// location, if the architecture allows locations in instructions.
    pub(super) fn address(&mut self, mem: &Mem, at: At) -> Result<Operand, Diagnostic> {
        let disp = self.displacement(mem.disp, at)?;
        if regs::resolve(self.arch(), &mem.base).is_none() && self.arch() == crate::Arch::X86 {
            self.no_index_here(mem.index.as_ref())?;
            let global = self.context.location(&mem.base.text);
            return Ok(Operand::Global(global, disp));
        }
        let base = self.reg(&mem.base)?;
        let mut parts = vec![Operand::Reg(base)];
        if let Some(index) = &mem.index {
            parts.push(self.reg(index)?.into());
        }
        if disp != 0 {
            parts.push(constant(disp));
        }
        Ok(self.sum_address(&parts))
    }

    fn displacement(&self, disp: i128, at: At) -> Result<i64, Diagnostic> {
        i32::try_from(disp).map(i64::from).map_err(|_| {
            self.error(at, format!("the displacement {disp} does not fit"))
                .expected("a number of 32 bits")
        })
    }

    fn no_index_here(&self, index: Option<&Name>) -> Result<(), Diagnostic> {
        match index {
            None => Ok(()),
            Some(index) => Err(self
                .error(index.at, "a location cannot be indexed by a register")
                .expected("`]`")
                .help("put the location's address into a register first")),
        }
    }

    /// The sum of 64-bit parts as an address; at least one part.
    pub(super) fn sum_address(&mut self, parts: &[Operand]) -> Operand {
        let mut sum = parts[0];
        for part in &parts[1..] {
            sum = self.binary(BinOp::Add, Type::I64, sum, *part).into();
        }
        self.converted(CastOp::IntToPtr, Type::I64, Type::Ptr, sum).into()
    }

    /// Sets a base register to the address of the completed access.
    pub(super) fn write_back(&mut self, base: Reg, addr: Operand) {
        self.cast(CastOp::PtrToInt, Type::Ptr, Type::I64, base, addr);
    }

    // ---- accesses ----

    /// Words are sign-extended, smaller values zero-extended.
    fn load_with(&mut self, dst: Reg, addr: Operand, size: Size, access: Access) {
        let ty = self.size_type(size);
        if ty == Type::I64 {
            self.function.push(InstKind::Load { dst, ty, addr, access });
            return;
        }
        let loaded = self.temp(ty);
        self.function.push(InstKind::Load { dst: loaded, ty, addr, access });
        let op = if size == Size::Word { CastOp::SExt } else { CastOp::ZExt };
        self.cast(op, ty, Type::I64, dst, loaded.into());
    }

    pub(super) fn load(&mut self, dst: Reg, addr: Operand, size: Size) {
        self.load_with(dst, addr, size, Access::ASM);
    }

    pub(super) fn load_exclusive(&mut self, dst: Reg, addr: Operand) {
        self.load_with(dst, addr, Size::Word, EXCLUSIVE);
    }

    pub(super) fn store(&mut self, addr: Operand, value: Operand, size: Size) {
        let ty = self.size_type(size);
        let value = self.truncate(value, ty);
        self.function.push(InstKind::Store { ty, addr, value, access: Access::ASM });
    }

    /// Returns whether the store happened, an `i1`.
    pub(super) fn store_conditional(&mut self, addr: Operand, value: Operand) -> Reg {
        let ty = self.word().ty();
        let value = self.truncate(value, ty);
        let ok = self.temp(Type::BOOL);
        self.function.push(InstKind::StoreCond { ty, ok, addr, value, access: EXCLUSIVE });
        ok
    }

    /// An atomic read-modify-write of a word; returns the old value.
    pub(super) fn rmw(&mut self, op: RmwOp, addr: Operand, value: Operand) -> Reg {
        let ty = self.word().ty();
        let value = self.truncate(value, ty);
        let loaded = self.temp(ty);
        let access = Access::ASM;
        self.function.push(InstKind::Rmw { op, ty, dst: loaded, addr, value, access, when: None });
        self.extended(loaded)
    }

    /// An atomic compare-and-exchange of a word; returns the old value.
    pub(super) fn compare_exchange(
        &mut self,
        addr: Operand,
        expected: Operand,
        new: Operand,
    ) -> Reg {
        let ty = self.word().ty();
        let expected = self.truncate(expected, ty);
        let new = self.truncate(new, ty);
        let (dst, ok) = (self.temp(ty), self.temp(Type::BOOL));
        let (weak, success, failure) = (false, Access::ASM, Order::Asm);
        let kind = InstKind::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure };
        self.function.push(kind);
        self.extended(dst)
    }

    fn extended(&mut self, word: Reg) -> Reg {
        match self.word().ty() {
            Type::I64 => word,
            ty => self.converted(CastOp::SExt, ty, Type::I64, word.into()),
        }
    }
}
