//! The parser: recursive descent over the tokens, in two passes.
//!
//! [`mod@outline`] collects the names; then the items are read in order, and the first error ends the
//! parse. Only conditions need recursion, and its depth is bounded there.

mod cond;
mod function;
mod global;
mod goal;
mod inst;
mod item;
mod memory;
mod operand;
mod outline;
mod position;
mod source;

use super::cursor::{Cursor, PResult};
use super::lex::{TokenKind, lex};
use super::{MAX_SOURCE, ParseOptions};
use crate::diag::Diagnostic;
use crate::program::Program;
use outline::{Symbols, outline};
use position::Positions;

pub(super) fn program(file: &str, source: &str, options: ParseOptions) -> PResult<Program> {
    if source.len() > MAX_SOURCE {
        let message = format!("the file has {} bytes", source.len());
        let limit = format!("at most {} MiB", MAX_SOURCE >> 20);
        return Err(Box::new(Diagnostic::whole_file(file, message).expected(limit)));
    }
    let tokens = lex(file, source)?;
    let cursor = Cursor::new(file, source, &tokens);
    let symbols = outline(cursor.clone());
    let mut parser = Parser {
        cursor,
        symbols: &symbols,
        program: Program::default(),
        positions: Positions::default(),
        named: false,
        initialised: 0,
        goals: Vec::new(),
    };
    while !parser.cursor.at(TokenKind::End) {
        parser.item()?;
        parser.cursor.expect_line_end()?;
    }
    parser.resolve_goals()?;
    let Parser { mut program, positions, named, .. } = parser;
    if !named {
        program.name = file.to_owned();
    }
    positions.resolve(&mut program, file, source, options.own_positions);
    Ok(program)
}

/// The state of the second pass.
struct Parser<'a, 's> {
    cursor: Cursor<'s>,
    symbols: &'a Symbols<'s>,
    program: Program,
    positions: Positions,
    /// Whether a `program` item was read.
    named: bool,
    /// Bytes of initialisers so far.
    initialised: u64,
    /// Goals as written: their labels can be resolved only after all functions were read.
    goals: Vec<Vec<goal::ThreadLabel>>,
}
