//! Operands: constants everywhere, registers in function bodies.

use super::super::cursor::{Cursor, PResult};
use super::super::lex::{Token, TokenKind};
use super::super::literal::Number;
use super::outline::{Signature, Symbols};
use crate::inst::Operand;
use crate::program::{FuncId, GlobalId, Reg};
use crate::types::Type;
use cranelift_entity::EntityRef;

/// An operand that is not a register. Without a type (in the arguments of an indirect call) a number
/// is taken as its bits.
pub(super) fn constant(
    cursor: &mut Cursor<'_>,
    symbols: &Symbols<'_>,
    ty: Option<Type>,
    what: &str,
) -> PResult<Operand> {
    match (cursor.token().kind, ty) {
        (TokenKind::Number, Some(ty)) => Ok(Operand::Int(cursor.bits(ty)?)),
        (TokenKind::Number, None) => untyped(cursor),
        (TokenKind::At, _) => {
            let global = global(cursor, symbols)?;
            Ok(Operand::Global(global, offset(cursor)?))
        }
        (TokenKind::Amp, _) => {
            cursor.next();
            Ok(Operand::Func(function(cursor, symbols)?))
        }
        (TokenKind::Word, _) if cursor.eat_word("undef") => Ok(Operand::Undef),
        _ => Err(cursor.unexpected(what)),
    }
}

fn untyped(cursor: &mut Cursor<'_>) -> PResult<Operand> {
    let (token, number) = cursor.number("a number")?;
    if let Number::Int { negative: false, magnitude, .. } = number {
        return Ok(Operand::Int(magnitude));
    }
    let message = format!("the type of {} is not known here", cursor.excerpt(token));
    let error = cursor.error(token, message).expected("an integer without a sign");
    Err(Box::new(error.help("move it into a register first, or write its bits in hexadecimal")))
}

pub(super) fn global(cursor: &mut Cursor<'_>, symbols: &Symbols<'_>) -> PResult<GlobalId> {
    let (token, name) = cursor.at_name("a global such as @x")?;
    symbols.globals.get(&name).copied().ok_or_else(|| {
        let error = cursor.error(token, format!("there is no global @{name}"));
        let help = if symbols.funcs.contains_key(&name) {
            format!("the address of a function is written &@{name}")
        } else {
            format!("declare it with global @{name}: TYPE = VALUE")
        };
        Box::new(error.expected("a declared global").help(help))
    })
}

pub(super) fn function(cursor: &mut Cursor<'_>, symbols: &Symbols<'_>) -> PResult<FuncId> {
    let (token, name) = cursor.at_name("a function such as @f")?;
    symbols.funcs.get(&name).copied().ok_or_else(|| {
        let error = cursor.error(token, format!("there is no function @{name}"));
        let help = format!("declare it with func @{name}(…)");
        Box::new(error.expected("a declared function").help(help))
    })
}

/// `+4`, `-4` or nothing.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> PResult<i64> {
    let minus = cursor.at(TokenKind::Number) && cursor.text(cursor.token()).starts_with('-');
    if cursor.eat(TokenKind::Plus) || (minus && !cursor.token().starts_line) {
        return cursor.integer("an offset of at most 63 bits");
    }
    Ok(0)
}

impl Signature<'_> {
    /// The register that a token names, if the register is declared.
    pub(super) fn resolve(&self, cursor: &Cursor<'_>, token: Token) -> PResult<Reg> {
        let text = cursor.text(token);
        let found = match token.kind {
            TokenKind::RegNumber => {
                text[1..].parse().ok().filter(|n| *n < self.regs.len()).map(Reg::new)
            }
            _ => self.reg_names.get(&cursor.decode_name(token)?).copied(),
        };
        found.ok_or_else(|| {
            let message = format!("the register {} is not declared", cursor.excerpt(token));
            let error = cursor.error(token, message).expected("a declared register");
            Box::new(error.help(format!("declare it with reg {text}: TYPE")))
        })
    }
}
