//! Attributes.
//!
//! Few attributes change the behaviour of a program, and every version of LLVM adds new ones. Those few
//! are read. Any other word (with its arguments in parentheses), string or group in a place
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

    /// `byval(T)` and similar attributes.
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

    /// The part before a return type: calling convention, linkage details, attributes. Returns
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

    /// The part behind the arguments of a call, up to the next instruction.
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
    /// arguments in parentheses.
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
