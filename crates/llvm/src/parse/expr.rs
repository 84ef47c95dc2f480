//! Constant expressions, including those of old versions.

use super::Parser;
use crate::ast::{CastOp, ConstExpr, ConstId, ConstKind, Flags, TypeId};
use crate::fault::Parse;
use crate::lex::Token;
use raddle_ir::{BinOp, Mnemonic};

/// Whether a word starts a constant expression.
pub(super) fn begins_expression(word: &[u8]) -> bool {
    matches!(
        word,
        b"getelementptr"
            | b"icmp"
            | b"fcmp"
            | b"select"
            | b"fneg"
            | b"extractelement"
            | b"insertelement"
            | b"shufflevector"
            | b"extractvalue"
            | b"insertvalue"
    ) || CastOp::from_mnemonic(word).is_some()
        || BinOp::from_mnemonic(word).is_some()
}

impl<'t> Parser<'t> {
    /// An expression of type `ty`; its first word is the current token.
    pub(super) fn constant_expression(&mut self, word: &'t [u8], ty: TypeId) -> Parse<ConstId> {
        let at = self.start;
        self.advance();
        let (found, expr) = if let Some(op) = CastOp::from_mnemonic(word) {
            self.cast_expression(op)?
        } else if let Some(op) = BinOp::from_mnemonic(word) {
            self.skip_flags();
            let ((found, lhs), (_, rhs)) = self.pair(true)?;
            self.require_operation(op, found, at)?;
            (found, ConstExpr::Binary { op, lhs, rhs })
        } else {
            match word {
                b"getelementptr" => self.gep_expression()?,
                b"icmp" | b"fcmp" => self.compare_expression(word == b"icmp")?,
                b"fneg" => {
                    self.expect(b'(')?;
                    let (found, arg) = self.typed_constant()?;
                    self.expect(b')')?;
                    (found, ConstExpr::FNeg(arg))
                }
                b"extractvalue" | b"insertvalue" => {
                    self.field_expression(word == b"insertvalue")?
                }
                _ => self.choice_expression(word)?,
            }
        };
        self.require_same(at, found, ty)?;
        Ok(self.constants.add(ty, ConstKind::Expr(Box::new(expr))))
    }

    /// Skips `nuw`, `exact` and similar flags, which constants do not need.
    fn skip_flags(&mut self) {
        while matches!(self.token, Token::Word(_)) {
            self.advance();
        }
    }

    fn cast_expression(&mut self, op: CastOp) -> Parse<(TypeId, ConstExpr)> {
        self.skip_flags();
        self.expect(b'(')?;
        let at = self.start;
        let (from, arg) = self.typed_constant()?;
        self.expect_word("to")?;
        let to = self.value_ty()?;
        self.expect(b')')?;
        self.require_cast(op, from, to, at)?;
        Ok((to, ConstExpr::Cast { op, arg }))
    }

    /// `(T a, U b)`; with `same`, the types must be equal.
    fn pair(&mut self, same: bool) -> Parse<((TypeId, ConstId), (TypeId, ConstId))> {
        self.expect(b'(')?;
        let first = self.typed_constant()?;
        self.expect(b',')?;
        let at = self.start;
        let second = self.typed_constant()?;
        if same {
            self.require_same(at, second.0, first.0)?;
        }
        self.expect(b')')?;
        Ok((first, second))
    }

    fn gep_expression(&mut self) -> Parse<(TypeId, ConstExpr)> {
        let flags = self.gep_flags()?;
        self.expect(b'(')?;
        let source = self.memory_ty()?;
        self.expect(b',')?;
        let at = self.start;
        let (mut ty, base) = self.typed_constant()?;
        self.require_address(ty, at)?;
        let mut indices = Vec::new();
        while self.eat(b',') {
            self.eat_word(b"inrange");
            let (index_ty, index) = self.typed_constant()?;
            ty = self.gep_type(ty, index_ty, at)?;
            indices.push(index);
        }
        self.expect(b')')?;
        Ok((ty, ConstExpr::Gep { source, base, indices: indices.into(), flags }))
    }

    /// `inbounds`, `nusw`, `nuw` and `inrange(…)`, in any order.
    pub(super) fn gep_flags(&mut self) -> Parse<Flags> {
        let mut flags = Flags::NONE;
        loop {
            match self.token {
                Token::Word(b"inbounds") => flags = flags.with(Flags::INBOUNDS),
                Token::Word(b"nusw") => flags = flags.with(Flags::NUSW),
                Token::Word(b"nuw") => flags = flags.with(Flags::NUW),
                Token::Word(b"inrange") => {
                    self.skip_attr()?;
                    continue;
                }
                _ => return Ok(flags),
            }
            self.advance();
        }
    }

    fn compare_expression(&mut self, integers: bool) -> Parse<(TypeId, ConstExpr)> {
        if integers {
            let pred = self.expect_one_of("a predicate")?;
            let ((ty, lhs), (_, rhs)) = self.pair(true)?;
            Ok((self.truth_type(ty), ConstExpr::ICmp { pred, lhs, rhs }))
        } else {
            let pred = self.expect_one_of("a predicate")?;
            let ((ty, lhs), (_, rhs)) = self.pair(true)?;
            Ok((self.truth_type(ty), ConstExpr::FCmp { pred, lhs, rhs }))
        }
    }

    fn field_expression(&mut self, insert: bool) -> Parse<(TypeId, ConstExpr)> {
        self.expect(b'(')?;
        let (ty, aggregate) = self.typed_constant()?;
        let value = if insert {
            self.expect(b',')?;
            Some(self.typed_constant()?)
        } else {
            None
        };
        let at = self.start;
        let mut indices = Vec::new();
        while self.eat(b',') {
            indices.push(self.expect_u32()?);
        }
        self.expect(b')')?;
        let field = self.field_type(ty, &indices, at)?;
        let indices = indices.into();
        match value {
            None => Ok((field, ConstExpr::ExtractValue { aggregate, indices })),
            Some((value_ty, value)) => {
                self.require_same(at, value_ty, field)?;
                Ok((ty, ConstExpr::InsertValue { aggregate, value, indices }))
            }
        }
    }

    /// `select` and the expressions on vectors.
    fn choice_expression(&mut self, word: &[u8]) -> Parse<(TypeId, ConstExpr)> {
        let at = self.start;
        if word == b"extractelement" {
            let ((ty, vector), (_, index)) = self.pair(false)?;
            let element = self.element_type(ty, at)?;
            return Ok((element, ConstExpr::ExtractElement { vector, index }));
        }
        self.expect(b'(')?;
        let (first_ty, first) = self.typed_constant()?;
        self.expect(b',')?;
        let (second_ty, second) = self.typed_constant()?;
        self.expect(b',')?;
        let (third_ty, third) = self.typed_constant()?;
        self.expect(b')')?;
        match word {
            b"select" => {
                self.require_same(at, third_ty, second_ty)?;
                let expr = ConstExpr::Select { cond: first, then: second, otherwise: third };
                Ok((second_ty, expr))
            }
            b"insertelement" => {
                let element = self.element_type(first_ty, at)?;
                self.require_same(at, second_ty, element)?;
                let (vector, value, index) = (first, second, third);
                Ok((first_ty, ConstExpr::InsertElement { vector, value, index }))
            }
            _ => {
                self.require_same(at, second_ty, first_ty)?;
                let ty = self.shuffle_type(first_ty, third_ty, at)?;
                Ok((ty, ConstExpr::ShuffleVector { lhs: first, rhs: second, mask: third }))
            }
        }
    }
}
