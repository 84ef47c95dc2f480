//! The initial state: `{ 0:r1=1; x=2; int y=3; 1:r2=x; %x0=x; }`.

use super::cursor::Cursor;
use super::token::Tok;
use crate::ast::{DeclType, InitItem};
use raddle_ir::Diagnostic;

/// Type names and their number of bits.
#[rustfmt::skip]
const TYPES: &[(&str, u8)] = &[
    ("char", 8), ("int8_t", 8), ("uint8_t", 8),
    ("short", 16), ("int16_t", 16), ("uint16_t", 16),
    ("int32_t", 32), ("uint32_t", 32),
    ("long", 64), ("int64_t", 64), ("uint64_t", 64), ("intptr_t", 64), ("uintptr_t", 64),
];

/// The type of `short int` and `unsigned` without another type name.
const PLAIN_INT: &str = "int";

/// Words without an effect here: the instructions alone determine the kinds of accesses.
const QUALIFIERS: &[&str] = &["volatile", "const", "atomic", "signed", "unsigned"];

pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Vec<InitItem>, Diagnostic> {
    cursor.expect_punct('{', "`{` and the initial state")?;
    let mut items = Vec::new();
    loop {
        while cursor.eat_punct(';') {}
        if cursor.eat_punct('}') {
            while cursor.eat_punct(';') {}
            return Ok(items);
        }
        items.push(item(cursor)?);
        if !cursor.is_punct(';') && !cursor.is_punct('}') {
            return Err(cursor.unexpected("`;` or the `}` that ends the initial state"));
        }
    }
}

fn item(cursor: &mut Cursor<'_>) -> Result<InitItem, Diagnostic> {
    let ty = declared_type(cursor);
    let place = cursor.place()?;
    let value = if cursor.eat_punct('=') { Some(cursor.value()?) } else { None };
    Ok(InitItem { place, ty, value })
}

/// A type is one or more type words followed by another token; a location may also be called `int`.
fn declared_type(cursor: &mut Cursor<'_>) -> Option<DeclType> {
    let mut bits = None;
    let mut typed = false;
    while let Some(word) = type_word(cursor) {
        typed = true;
        if word != PLAIN_INT {
            bits = bits.or(TYPES.iter().find(|(name, _)| *name == word).map(|(_, bits)| *bits));
        }
    }
    if !typed {
        return None;
    }
    if !cursor.is_punct('*') {
        return Some(DeclType::Int(bits.unwrap_or(32)));
    }
    while cursor.eat_punct('*') {}
    Some(DeclType::Pointer)
}

/// Takes the next word if it belongs to a type.
fn type_word(cursor: &mut Cursor<'_>) -> Option<String> {
    let Tok::Word(word) = cursor.peek() else { return None };
    let known = word == PLAIN_INT
        || QUALIFIERS.contains(&word.as_str())
        || TYPES.iter().any(|(name, _)| name == word);
    let followed =
        matches!(cursor.peek_at(1), Tok::Word(_) | Tok::Int(_) | Tok::Punct('*' | '[' | '%'));
    let word = (known && followed).then(|| word.clone())?;
    cursor.bump();
    Some(word)
}
