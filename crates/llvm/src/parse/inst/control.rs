//! Terminators, `phi`, and the instructions of exception handling.

use super::Made;
use crate::ast::{BlockId, Clause, InstKind, Type, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;
use crate::parse::Parser;

impl Parser<'_> {
    /// `ret void` or `ret type value`.
    pub(super) fn ret(&mut self) -> Parse<Made> {
        let at = self.start;
        let ty = self.ty()?;
        self.require_same(at, ty, self.return_type)?;
        let value = if ty == Types::VOID { None } else { Some(self.value(ty)?) };
        Ok((InstKind::Ret(value), Types::VOID))
    }

    /// `br label %a` or `br i1 %c, label %a, label %b`.
    pub(super) fn branch(&mut self) -> Parse<Made> {
        if self.is_word(b"label") {
            return Ok((InstKind::Br(self.target()?), Types::VOID));
        }
        let at = self.start;
        let (ty, cond) = self.typed_value()?;
        self.require_same(at, ty, Types::I1)?;
        self.expect(b',')?;
        let then = self.target()?;
        self.expect(b',')?;
        let otherwise = self.target()?;
        Ok((InstKind::CondBr { cond, then, otherwise }, Types::VOID))
    }

    /// `switch iN value, label %default [ iN constant, label %case … ]`.
    pub(super) fn switch(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, value) = self.typed_value()?;
        if !matches!(self.types.types[ty], Type::Int(_)) {
            return Err(self.fault_at(at, "a switch over a value that is not an integer"));
        }
        self.expect(b',')?;
        let default = self.target()?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.eat(b']') {
            let case = self.constant_of(ty)?;
            self.expect(b',')?;
            cases.push((case, self.target()?));
        }
        Ok((InstKind::Switch { value, default, cases: cases.into() }, Types::VOID))
    }

    /// `indirectbr ptr address, [ label %a, … ]`.
    pub(super) fn indirect_branch(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, address) = self.typed_value()?;
        if !matches!(self.types.types[ty], Type::Ptr { .. }) {
            return Err(self.fault_at(at, "a jump to a value that is not an address"));
        }
        self.expect(b',')?;
        self.expect(b'[')?;
        let targets = self.list_until(b']', Self::target)?.into();
        Ok((InstKind::IndirectBr { address, targets }, Types::VOID))
    }

    /// `phi type [ value, %block ], …`.
    pub(super) fn phi(&mut self) -> Parse<Made> {
        self.skip_fast_math();
        let ty = self.value_ty()?;
        let mut incoming: Vec<(Value, BlockId)> = Vec::new();
        loop {
            self.expect(b'[')?;
            let value = self.value(ty)?;
            self.expect(b',')?;
            incoming.push((value, self.block_name()?));
            self.expect(b']')?;
            if !self.comma() {
                break;
            }
        }
        Ok((InstKind::Phi { incoming: incoming.into() }, ty))
    }

    /// `landingpad type [cleanup] (catch type value | filter type value)*`.
    pub(super) fn landing_pad(&mut self) -> Parse<Made> {
        let ty = self.value_ty()?;
        let cleanup = self.eat_word(b"cleanup");
        let mut clauses = Vec::new();
        loop {
            match self.token {
                Token::Word(b"catch") => {
                    self.advance();
                    clauses.push(Clause::Catch(self.typed_value()?.1));
                }
                Token::Word(b"filter") => {
                    self.advance();
                    clauses.push(Clause::Filter(self.typed_value()?.1));
                }
                _ => return Ok((InstKind::LandingPad { cleanup, clauses: clauses.into() }, ty)),
            }
        }
    }

    pub(super) fn resume(&mut self) -> Parse<Made> {
        let (_, value) = self.typed_value()?;
        Ok((InstKind::Resume(value), Types::VOID))
    }

    /// `none`, or the token of the enclosing pad.
    fn parent_pad(&mut self) -> Parse<Option<Value>> {
        self.expect_word("within")?;
        if self.eat_word(b"none") {
            return Ok(None);
        }
        Ok(Some(self.value(Types::TOKEN)?))
    }

    /// `to caller` or `label %block`.
    fn unwind_target(&mut self) -> Parse<Option<BlockId>> {
        self.expect_word("unwind")?;
        if self.eat_word(b"to") {
            self.expect_word("caller")?;
            return Ok(None);
        }
        Ok(Some(self.target()?))
    }

    pub(super) fn catch_switch(&mut self) -> Parse<Made> {
        let parent = self.parent_pad()?;
        self.expect(b'[')?;
        let handlers = self.list_until(b']', Self::target)?.into();
        let unwind = self.unwind_target()?;
        Ok((InstKind::CatchSwitch { parent, handlers, unwind }, Types::TOKEN))
    }

    pub(super) fn catch_pad(&mut self) -> Parse<Made> {
        let Some(within) = self.parent_pad()? else {
            return Err(self.fault("a catchpad within none").expected("a catchswitch"));
        };
        let args = self.pad_arguments()?;
        Ok((InstKind::CatchPad { within, args }, Types::TOKEN))
    }

    pub(super) fn cleanup_pad(&mut self) -> Parse<Made> {
        let within = self.parent_pad()?;
        let args = self.pad_arguments()?;
        Ok((InstKind::CleanupPad { within, args }, Types::TOKEN))
    }

    /// `catchret from %pad to label %block`.
    pub(super) fn catch_return(&mut self) -> Parse<Made> {
        self.expect_word("from")?;
        let pad = self.value(Types::TOKEN)?;
        self.expect_word("to")?;
        let to = self.target()?;
        Ok((InstKind::CatchRet { pad, to }, Types::VOID))
    }

    /// `cleanupret from %pad unwind (to caller | label %block)`.
    pub(super) fn cleanup_return(&mut self) -> Parse<Made> {
        self.expect_word("from")?;
        let pad = self.value(Types::TOKEN)?;
        let unwind = self.unwind_target()?;
        Ok((InstKind::CleanupRet { pad, unwind }, Types::VOID))
    }
}
