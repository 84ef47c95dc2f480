//! Source positions of the parsed constructs.
//!
//! Positions that are not in the `loc` table (those written inline, and the places in the `.rir`
//! file itself) are appended to the table after the whole file was read. So the numbers of the table
//! stay as written, wherever in the file the table stands.

use super::super::cursor::{Cursor, PResult};
use super::super::lex::TokenKind;
use super::outline::Symbols;
use crate::program::{BlockId, FuncId, Loc, LocId, Program};
use std::collections::HashMap;

/// A position as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// No position; the construct starts at this byte.
    Nothing(usize),
    Table(LocId),
    Inline {
        file: String,
        line: u32,
        column: u32,
    },
}

/// A construct that has a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Positioned {
    Function(FuncId),
    Inst(FuncId, BlockId, usize),
    Terminator(FuncId, BlockId),
}

/// Positions that still have to be entered into the table, in the order of the source.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// Whether the current function is a library function: there, constructs without a written position
    /// get none.
    library: bool,
    pending: Vec<(Positioned, Written)>,
}

/// `!7` or `!"f.c":37:5` or nothing.
pub(super) fn position(
    cursor: &mut Cursor<'_>,
    symbols: &Symbols<'_>,
    start: usize,
) -> PResult<Written> {
    if !cursor.eat(TokenKind::Bang) {
        return Ok(Written::Nothing(start));
    }
    if !cursor.at(TokenKind::Quoted) {
        return Ok(Written::Table(loc_number(cursor, symbols)?));
    }
    let file = cursor.string()?;
    let (line, column) = line_and_column(cursor)?;
    Ok(Written::Inline { file, line, column })
}

/// `:37:5`
pub(super) fn line_and_column(cursor: &mut Cursor<'_>) -> PResult<(u32, u32)> {
    cursor.expect(TokenKind::Colon)?;
    let line = cursor.integer("a line number")?;
    cursor.expect(TokenKind::Colon)?;
    Ok((line, cursor.integer("a column number")?))
}

/// The number of a `loc` item.
pub(super) fn loc_number(cursor: &mut Cursor<'_>, symbols: &Symbols<'_>) -> PResult<LocId> {
    let token = cursor.token();
    let number: u32 = cursor.integer("the number of a loc, or a quoted file name")?;
    if number < symbols.locs {
        return Ok(LocId(number));
    }
    let error = cursor.error(token, format!("there is no loc {number}"));
    Err(Box::new(error.expected(format!("a number below {}", symbols.locs))))
}

impl Positions {
    /// Sets whether the following constructs belong to a library function.
    pub(super) fn in_library(&mut self, library: bool) {
        self.library = library;
    }

    /// The preliminary id; [`Positions::resolve`] may replace it.
    pub(super) fn note(&mut self, place: Positioned, written: Written) -> LocId {
        match written {
            Written::Table(id) => return id,
            Written::Nothing(_) if self.library => return LocId::NONE,
            Written::Nothing(_) | Written::Inline { .. } => {}
        }
        self.pending.push((place, written));
        LocId::NONE
    }

    /// Enters the pending positions. `own` also enters those that were not written.
    pub(super) fn resolve(self, program: &mut Program, file: &str, source: &str, own: bool) {
        let mut table = Table::new(program);
        let mut sweep = Sweep { source, at: 0, line: 1, column: 1 };
        let mut resolved = Vec::with_capacity(self.pending.len());
        for (place, written) in self.pending {
            let id = match written {
                Written::Inline { file, line, column } => table.enter(&file, line, column),
                Written::Nothing(at) if own => {
                    let (line, column) = sweep.advance(at);
                    table.enter(file, line, column)
                }
                Written::Nothing(_) => LocId::NONE,
                Written::Table(id) => id,
            };
            resolved.push((place, id));
        }
        for (place, id) in resolved {
            match place {
                Positioned::Function(func) => program.funcs[func].loc = id,
                Positioned::Inst(func, block, at) => {
                    program.funcs[func].blocks[block].insts[at].loc = id
                }
                Positioned::Terminator(func, block) => {
                    program.funcs[func].blocks[block].term.loc = id
                }
            }
        }
    }
}

/// The program's tables of files and positions, with an index for lookups.
struct Table<'p> {
    files: &'p mut Vec<String>,
    locs: &'p mut Vec<Loc>,
    known_files: HashMap<String, u32>,
    known: HashMap<Loc, LocId>,
}

impl<'p> Table<'p> {
    fn new(program: &'p mut Program) -> Table<'p> {
        let (files, locs) = (&mut program.files, &mut program.locs);
        let known_files = files.iter().cloned().zip(0..).collect();
        let known = locs.iter().cloned().zip((0..).map(LocId)).collect();
        Table { files, locs, known_files, known }
    }

    fn enter(&mut self, file: &str, line: u32, column: u32) -> LocId {
        let file = *self.known_files.entry(file.to_owned()).or_insert_with(|| {
            self.files.push(file.to_owned());
            self.files.len() as u32 - 1
        });
        let loc = Loc { file, line, column, inlined_at: LocId::NONE };
        *self.known.entry(loc.clone()).or_insert_with(|| {
            self.locs.push(loc);
            LocId(self.locs.len() as u32 - 1)
        })
    }
}

/// Converts ascending byte offsets into lines and columns in one pass over the source.
struct Sweep<'s> {
    source: &'s str,
    at: usize,
    line: u32,
    column: u32,
}

impl Sweep<'_> {
    fn advance(&mut self, to: usize) -> (u32, u32) {
        for c in self.source[self.at..to.max(self.at)].chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.at = to.max(self.at);
        (self.line, self.column)
    }
}
