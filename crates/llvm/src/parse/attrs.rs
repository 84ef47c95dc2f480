//! Attributes.
//!
//! Few attributes change what a program does, and every version of LLVM brings new ones. Those few
//! are read; any other word (with what is in parentheses behind it), string or group in a place
//! for attributes is skipped, known or not.

use super::{Parser, constant, inst};
use crate::ast::{ParamAttrs, TypeId};
use crate::fault::Parse;
use crate::lex::Token;

impl Parser<'_> {
    /// The attributes between the type of a parameter or argument and its value.
    pub(super) fn param_attrs(&mut self) -> Parse<ParamAttrs> {
        let mut attrs = ParamAttrs::default();
        loop {
            match self.token {
                Token::Word(b"byval") => attrs.byval = Some(self.type_attr()?),
                Token::Word(b"sret") => attrs.sret = Some(self.type_attr()?),
                Token::Word(b"align") => attrs.align = Some(self.align_attr()?),
                Token::Word(b"zeroext") => {
                    self.advance();
                    attrs.zeroext = true;
                }
                Token::Word(b"signext") => {
                    self.advance();
                    attrs.signext = true;
                }
                Token::Word(word) if constant::begins_constant(word) => return Ok(attrs),
                Token::Word(_) | Token::Str(_) => self.skip_attr()?,
                _ => return Ok(attrs),
            }
        }
    }

    /// `byval(T)` and its like.
    fn type_attr(&mut self) -> Parse<TypeId> {
        self.advance();
        self.expect(b'(')?;
        let ty = self.memory_ty()?;
        self.expect(b')')?;
        Ok(ty)
    }

    /// `align N` or `align(N)`.
    pub(super) fn align_attr(&mut self) -> Parse<u64> {
        self.expect_word("align")?;
        let parenthesised = self.eat(b'(');
        let at = self.start;
        let align = self.expect_u64()?;
        if !align.is_power_of_two() {
            return Err(self.fault_at(at, "an alignment that is not a power of two"));
        }
        if parenthesised {
            self.expect(b')')?;
        }
        Ok(align)
    }

    /// What stands before a return type: calling convention, linkage details, attributes. Gives
    /// the address space, which calls may have there.
    pub(super) fn attrs_before_type(&mut self) -> Parse<u32> {
        let mut addrspace = 0;
        while !self.begins_type() {
            match self.token {
                Token::Word(b"addrspace") => addrspace = self.addrspace()?,
                Token::Word(b"align") => {
                    self.align_attr()?;
                }
                Token::Word(b"cc") => {
                    self.advance();
                    self.expect_u32()?;
                }
                Token::Word(_) | Token::Str(_) | Token::AttrGroup => self.skip_attr()?,
                _ => break,
            }
        }
        Ok(addrspace)
    }

    /// What stands behind the arguments of a call, up to the next instruction.
    pub(super) fn attrs_after_call(&mut self) -> Parse<()> {
        loop {
            match self.token {
                Token::Word(word) if word == b"to" || inst::is_opcode(word) => return Ok(()),
                Token::Word(_) | Token::Str(_) | Token::AttrGroup => self.skip_attr()?,
                _ => return Ok(()),
            }
        }
    }

    /// One attribute: a group, a string with or without a value, or a word with or without
    /// something in parentheses.
    pub(super) fn skip_attr(&mut self) -> Parse<()> {
        match self.advance() {
            Token::Str(_) if self.eat(b'=') => {
                self.expect_string()?;
                Ok(())
            }
            Token::Word(_) if self.is(b'(') => self.skip_brackets(),
            _ => Ok(()),
        }
    }
}
