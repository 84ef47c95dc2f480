//! Expressions in prefix notation.

use super::Parser;
use super::lex::Word;
use super::thread::Names;
use crate::MAX_DEPTH;
use crate::ast::{BinaryOp, Expr, RegisterId};
use raddle_ir::Diagnostic;

impl<'a> Parser<'a> {
    pub(super) fn expression(&mut self, registers: &mut Names<'a>) -> Result<Expr, Diagnostic> {
        self.nested(registers, MAX_DEPTH)
    }

    fn nested(&mut self, registers: &mut Names<'a>, depth: u32) -> Result<Expr, Diagnostic> {
        let word = self.word("an expression")?;
        if depth == 0 {
            let message = "the expression is nested too deeply";
            let limit = format!("at most {MAX_DEPTH} levels");
            return Err(word.at.error(self.file, message).expected(limit));
        }
        if word.text == "!" {
            return Ok(Expr::Not(Box::new(self.nested(registers, depth - 1)?)));
        }
        if let Some(op) = BinaryOp::from_word(word.text) {
            let left = self.nested(registers, depth - 1)?;
            let right = self.nested(registers, depth - 1)?;
            return Ok(Expr::Binary(op, Box::new((left, right))));
        }
        if is_number(word.text) {
            return self.constant(word);
        }
        Ok(Expr::Register(RegisterId(registers.number(word.text))))
    }

    fn constant(&self, word: Word<'_>) -> Result<Expr, Diagnostic> {
        word.text.parse().map(Expr::Constant).map_err(|_| {
            let expected = "a register, an operator or an integer of at most 32 bits";
            self.unexpected(word.at, word.text, expected)
        })
    }

    /// The register that an instruction writes.
    pub(super) fn register(&mut self, registers: &mut Names<'a>) -> Result<RegisterId, Diagnostic> {
        let word = self.word("a register")?;
        let operator = word.text == "!" || BinaryOp::from_word(word.text).is_some();
        if operator || is_number(word.text) {
            return Err(self.unexpected(word.at, word.text, "a register"));
        }
        Ok(RegisterId(registers.number(word.text)))
    }
}

/// Whether a word is meant as a number: digits, perhaps after a sign.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}
