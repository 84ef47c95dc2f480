//! Memory: allocation, accesses, atomics, addresses.

use super::Made;
use crate::ast::{Atomic, CmpXchg, InstKind, Type, TypeId, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;
use crate::parse::Parser;

impl Parser<'_> {
    /// `alloca [inalloca] type [, type count] [, align N] [, addrspace(N)]`.
    pub(super) fn alloca(&mut self) -> Parse<Made> {
        let inalloca = self.eat_word(b"inalloca");
        self.eat_word(b"swifterror");
        let ty = self.memory_ty()?;
        let (mut count, mut align, mut addrspace) = (None, None, 0);
        while self.comma() {
            match self.token {
                Token::Word(b"align") => align = Some(self.align_attr()?),
                Token::Word(b"addrspace") => addrspace = self.addrspace()?,
                _ if count.is_none() => {
                    let at = self.start;
                    let (count_ty, value) = self.typed_value()?;
                    if !matches!(self.types.types[count_ty], Type::Int(_)) {
                        return Err(
                            self.fault_at(at, "a number of elements that is not an integer")
                        );
                    }
                    count = Some(value);
                }
                _ => return Err(self.unexpected("an alignment")),
            }
        }
        Ok((InstKind::Alloca { ty, count, align, inalloca }, self.types.pointer(addrspace)))
    }

    /// A type, which must be a pointer type, and an operand of that type.
    fn pointer(&mut self) -> Parse<Value> {
        let ty = self.value_ty()?;
        if let Type::Ptr { .. } = self.types.types[ty] {
            return self.value(ty);
        }
        Err(self.fault(format!("an address of type {}", self.show_type(ty))).expected("ptr"))
    }

    /// `[, align N]`.
    fn optional_align(&mut self) -> Parse<Option<u64>> {
        if self.comma() { Ok(Some(self.align_attr()?)) } else { Ok(None) }
    }

    /// `[syncscope("…")] ordering`.
    fn ordering(&mut self) -> Parse<Atomic> {
        let mut scope = None;
        if self.eat_word(b"syncscope") {
            self.expect(b'(')?;
            scope = Some(self.expect_text()?);
            self.expect(b')')?;
        }
        let order = self.expect_one_of("a memory order")?;
        Ok(Atomic { order, scope })
    }

    pub(super) fn fence(&mut self) -> Parse<Made> {
        Ok((InstKind::Fence(self.ordering()?), Types::VOID))
    }

    /// `load [atomic] [volatile] type, ptr address [order] [, align N]`.
    pub(super) fn load(&mut self) -> Parse<Made> {
        let is_atomic = self.eat_word(b"atomic");
        let volatile = self.eat_word(b"volatile");
        let ty = self.memory_ty()?;
        self.expect(b',')?;
        let ptr = self.pointer()?;
        let atomic = if is_atomic { Some(self.ordering()?) } else { None };
        let align = self.optional_align()?;
        Ok((InstKind::Load { ptr, align, volatile, atomic }, ty))
    }

    /// `store [atomic] [volatile] type value, ptr address [order] [, align N]`.
    pub(super) fn store(&mut self) -> Parse<Made> {
        let is_atomic = self.eat_word(b"atomic");
        let volatile = self.eat_word(b"volatile");
        let (_, value) = self.typed_value()?;
        self.expect(b',')?;
        let ptr = self.pointer()?;
        let atomic = if is_atomic { Some(self.ordering()?) } else { None };
        let align = self.optional_align()?;
        Ok((InstKind::Store { value, ptr, align, volatile, atomic }, Types::VOID))
    }

    /// `cmpxchg [weak] [volatile] ptr address, T expected, T new order order [, align N]`.
    pub(super) fn compare_exchange(&mut self) -> Parse<Made> {
        let weak = self.eat_word(b"weak");
        let volatile = self.eat_word(b"volatile");
        let ptr = self.pointer()?;
        self.expect(b',')?;
        let (ty, expected) = self.typed_value()?;
        self.expect(b',')?;
        let at = self.start;
        let (new_ty, new) = self.typed_value()?;
        self.require_same(at, new_ty, ty)?;
        let success = self.ordering()?;
        let failure = self.expect_one_of("a memory order")?;
        let align = self.optional_align()?;
        let fields: Box<[TypeId]> = [ty, Types::I1].into();
        let result = self.types.intern(Type::Struct { name: None, packed: false, fields });
        let inst = CmpXchg { ptr, expected, new, align, weak, volatile, success, failure };
        Ok((InstKind::CmpXchg(Box::new(inst)), result))
    }

    /// `atomicrmw [volatile] op ptr address, T value order [, align N]`.
    pub(super) fn atomic_update(&mut self) -> Parse<Made> {
        let volatile = self.eat_word(b"volatile");
        let op = self.expect_one_of("an atomic operation")?;
        let ptr = self.pointer()?;
        self.expect(b',')?;
        let (ty, value) = self.typed_value()?;
        let atomic = self.ordering()?;
        let align = self.optional_align()?;
        Ok((InstKind::AtomicRmw { op, ptr, value, align, volatile, atomic }, ty))
    }

    /// `getelementptr [flags] type, ptr base (, T index)*`.
    pub(super) fn address(&mut self) -> Parse<Made> {
        let flags = self.gep_flags()?;
        let source = self.memory_ty()?;
        self.expect(b',')?;
        let at = self.start;
        let (mut ty, base) = self.typed_value()?;
        self.require_address(ty, at)?;
        let mut indices = Vec::new();
        while self.comma() {
            let (index_ty, index) = self.typed_value()?;
            ty = self.gep_type(ty, index_ty, at)?;
            indices.push(index);
        }
        Ok((InstKind::Gep { source, base, indices: indices.into(), flags }, ty))
    }

    /// `va_arg ptr list, type`.
    pub(super) fn variadic_argument(&mut self) -> Parse<Made> {
        let list = self.pointer()?;
        self.expect(b',')?;
        let ty = self.value_ty()?;
        Ok((InstKind::VaArg { list }, ty))
    }
}
