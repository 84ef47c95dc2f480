//! Final conditions.

use super::super::MAX_NESTING;
use super::super::cursor::PResult;
use super::super::lex::TokenKind;
use super::{Parser, operand};
use crate::cond::{CmpOp, Condition, Prop, Quantifier, Term};

impl Parser<'_, '_> {
    /// `exists`, `not exists` or `forall`, and a proposition.
    pub(super) fn condition(&mut self) -> PResult<()> {
        let start = self.cursor.token();
        let quantifier = if self.cursor.eat_word("not") {
            self.cursor.expect_word("exists")?;
            Quantifier::NotExists
        } else if self.cursor.eat_word("forall") {
            Quantifier::Forall
        } else {
            self.cursor.expect_word("exists")?;
            Quantifier::Exists
        };
        if self.program.condition.is_some() {
            let error = self.cursor.error(start, "a second condition");
            return Err(Box::new(error.expected("one condition in a program")));
        }
        let prop = self.implication(0)?;
        if prop.deeper_than(MAX_NESTING) {
            return Err(self.too_deep());
        }
        self.program.condition = Some(Condition { quantifier, prop });
        Ok(())
    }

    fn too_deep(&self) -> Box<crate::diag::Diagnostic> {
        let error = self.cursor.error(self.cursor.token(), "the condition is nested too deeply");
        Box::new(error.expected(format!("at most {MAX_NESTING} levels")))
    }

    /// `depth` is the number of enclosing levels. Every recursion of the grammar passes through this function
    /// or [`Parser::unary`], and both pass on an increased depth.
    fn implication(&mut self, depth: usize) -> PResult<Prop> {
        if depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        let left = self.chain(TokenKind::OrOr, depth)?;
        if !self.cursor.eat(TokenKind::FatArrow) {
            return Ok(left);
        }
        let right = self.implication(depth + 1)?;
        Ok(Prop::Implies(Box::new(left), Box::new(right)))
    }

    /// Operands joined by `||`, or by `&&`, which binds tighter.
    fn chain(&mut self, joiner: TokenKind, depth: usize) -> PResult<Prop> {
        let mut parts = vec![self.chain_part(joiner, depth)?];
        while self.cursor.eat(joiner) {
            parts.push(self.chain_part(joiner, depth)?);
        }
        match (parts.len(), joiner) {
            (1, _) => Ok(parts.remove(0)),
            (_, TokenKind::OrOr) => Ok(Prop::Or(parts)),
            _ => Ok(Prop::And(parts)),
        }
    }

    fn chain_part(&mut self, joiner: TokenKind, depth: usize) -> PResult<Prop> {
        match joiner {
            TokenKind::OrOr => self.chain(TokenKind::AndAnd, depth),
            _ => self.unary(depth),
        }
    }

    fn unary(&mut self, depth: usize) -> PResult<Prop> {
        if depth >= MAX_NESTING {
            return Err(self.too_deep());
        }
        if self.cursor.eat(TokenKind::Bang) {
            return Ok(Prop::Not(Box::new(self.unary(depth + 1)?)));
        }
        if self.cursor.eat(TokenKind::LParen) {
            let inner = self.implication(depth + 1)?;
            self.cursor.expect(TokenKind::RParen)?;
            return Ok(inner);
        }
        match (self.cursor.word(), self.cursor.peek(1).kind) {
            ("all", TokenKind::LParen) => Ok(Prop::And(self.parts(depth)?)),
            ("any", TokenKind::LParen) => Ok(Prop::Or(self.parts(depth)?)),
            (_, TokenKind::EqEq | TokenKind::NotEq) => self.comparison(),
            ("true", _) => {
                self.cursor.next();
                Ok(Prop::True)
            }
            ("false", _) => {
                self.cursor.next();
                Ok(Prop::False)
            }
            _ => self.comparison(),
        }
    }

    /// `all(p, …)`, `any(p, …)`: the only form for conjunctions and disjunctions of fewer than two parts.
    fn parts(&mut self, depth: usize) -> PResult<Vec<Prop>> {
        self.cursor.next();
        self.cursor.next();
        let mut parts = Vec::new();
        while !self.cursor.at(TokenKind::RParen) {
            parts.push(self.implication(depth + 1)?);
            if !self.cursor.at(TokenKind::RParen) {
                self.cursor.expect(TokenKind::Comma)?;
            }
        }
        self.cursor.next();
        Ok(parts)
    }

    fn comparison(&mut self) -> PResult<Prop> {
        let left = self.term()?;
        let op = match self.cursor.token().kind {
            TokenKind::EqEq => CmpOp::Eq,
            TokenKind::NotEq => CmpOp::Ne,
            _ => return Err(self.cursor.unexpected("`==` or `!=`")),
        };
        self.cursor.next();
        Ok(Prop::Cmp(op, left, self.term()?))
    }

    fn term(&mut self) -> PResult<Term> {
        match self.cursor.token().kind {
            TokenKind::Number => Ok(Term::Int(self.cursor.integer("an integer of 128 bits")?)),
            TokenKind::At => {
                let global = operand::global(&mut self.cursor, self.symbols)?;
                Ok(Term::Global(global, operand::offset(&mut self.cursor)?))
            }
            _ => {
                let (token, name) =
                    self.cursor.name("an observable, an integer or an address such as @x")?;
                self.symbols.observables.get(&name).copied().map(Term::Observable).ok_or_else(
                    || {
                        let message = format!("there is no observable \"{name}\"");
                        let error =
                            self.cursor.error(token, message).expected("a declared observable");
                        Box::new(error.help(format!("declare it with observe \"{name}\" = …")))
                    },
                )
            }
        }
    }
}
