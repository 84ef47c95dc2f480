//! Expressions in prefix notation.

use super::Parser;
use super::thread::Names;
use crate::MAX_DEPTH;
use crate::ast::{BinaryOp, Expr, RegisterId};
use raddle_ir::{Diagnostic, Mnemonic};

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
        if let Some(op) = BinaryOp::from_mnemonic(word.text) {
            let left = self.nested(registers, depth - 1)?;
            let right = self.nested(registers, depth - 1)?;
            return Ok(Expr::Binary(op, Box::new((left, right))));
        }
        if is_register(word.text) {
            return Ok(Expr::Register(RegisterId(registers.number(word.text))));
        }
        word.text.parse().map(Expr::Constant).map_err(|_| {
            let expected = "a register, an operator or an integer of at most 32 bits";
            let error = self.unexpected(word.at, word.text, expected);
            match is_joined(word.text) {
                true => error.help("operators stand before their operands, between blanks: == r 1"),
                false => error,
            }
        })
    }

    /// The register that an instruction writes.
    pub(super) fn register(&mut self, registers: &mut Names<'a>) -> Result<RegisterId, Diagnostic> {
        let word = self.word("a register")?;
        if !is_register(word.text) {
            return Err(self.unexpected(word.at, word.text, "a register"));
        }
        Ok(RegisterId(registers.number(word.text)))
    }
}

/// Keywords. A keyword in the place of a register means that the expression before it is
/// incomplete.
const KEYWORDS: [&str; 7] =
    ["thread", "initial", "final", "transition", "end", "goal", "memory_size"];

/// Whether a word can be the name of a register: letters, digits and `_ . $ % '`, not starting with a
/// digit. So `((1`, `r==1` and `r-1` are errors, and not registers whose value is 0.
fn is_register(text: &str) -> bool {
    let mark = |c: char| matches!(c, '_' | '.' | '$' | '%' | '\'');
    text.chars().all(|c| c.is_alphanumeric() || mark(c))
        && text.starts_with(|c: char| c.is_alphabetic() || mark(c))
        && !KEYWORDS.contains(&text)
}

/// Whether a word looks like an expression without blanks.
fn is_joined(text: &str) -> bool {
    text.chars().any(|c| "()!=<>&|+-*".contains(c))
}
