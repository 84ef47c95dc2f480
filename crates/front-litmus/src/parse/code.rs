//! The program: a row of thread names, then rows of cells, one column per thread.

use super::cond::at_condition;
use super::cursor::{Cursor, thread_number};
use super::token::Tok;
use crate::ast::{Arg, ArgKind, At, Inst, Line, Mem, Name, Thread};
use raddle_ir::Diagnostic;

/// A test with more columns is rejected: no engine could analyse it.
const MAX_THREADS: usize = 1024;

pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Vec<Thread>, Diagnostic> {
    let mut threads = thread_names(cursor)?;
    while !at_condition(cursor) {
        row(cursor, &mut threads)?;
    }
    Ok(threads)
}

/// `P0 | P1 | ... ;`
fn thread_names(cursor: &mut Cursor<'_>) -> Result<Vec<Thread>, Diagnostic> {
    let mut threads = Vec::new();
    loop {
        let expected = format!("the column title `P{}`", threads.len());
        let name = cursor.word(&expected)?;
        if thread_number(&name.text).map(|n| n as usize) != Some(threads.len()) {
            let message = format!("found `{}`", name.text);
            return Err(name
                .at
                .error(cursor.file, message)
                .expected(expected)
                .help("threads are numbered from P0, in order"));
        }
        if threads.len() == MAX_THREADS {
            let message = format!("the test has more than {MAX_THREADS} threads");
            return Err(name.at.error(cursor.file, message).expected("fewer columns"));
        }
        threads.push(Thread { at: name.at, lines: Vec::new() });
        if cursor.eat_punct(';') {
            return Ok(threads);
        }
        cursor.expect_punct('|', "`|` or `;` after the title of a column")?;
    }
}

fn row(cursor: &mut Cursor<'_>, threads: &mut [Thread]) -> Result<(), Diagnostic> {
    let columns = threads.len();
    let start = cursor.at();
    for (i, thread) in threads.iter_mut().enumerate() {
        cell(cursor, &mut thread.lines)?;
        let last = i + 1 == columns;
        if cursor.is_punct(';') && !last {
            return Err(column_count(cursor, start, i + 1, columns));
        }
        if cursor.is_punct('|') && last {
            return Err(column_count(cursor, cursor.at(), i + 2, columns));
        }
        if !cursor.eat_punct(if last { ';' } else { '|' }) {
            let expected = if last { "`,` or the `;` that ends the row" } else { "`,` or `|`" };
            return Err(cursor.unexpected(expected));
        }
    }
    Ok(())
}

fn column_count(cursor: &Cursor<'_>, at: At, found: usize, of: usize) -> Diagnostic {
    let found = if found > of { format!("more than {of}") } else { found.to_string() };
    at.error(cursor.file, format!("this row has {found} columns"))
        .expected(format!("{of}, one for each thread"))
        .help("a thread without an instruction in a row has an empty column there")
}

/// Labels and at most one instruction.
fn cell(cursor: &mut Cursor<'_>, lines: &mut Vec<Line>) -> Result<(), Diagnostic> {
    while matches!(cursor.peek(), Tok::Word(_)) && *cursor.peek_at(1) == Tok::Punct(':') {
        lines.push(Line::Label(cursor.word("a label")?));
        cursor.bump();
    }
    if !cursor.is_punct('|') && !cursor.is_punct(';') {
        lines.push(Line::Inst(instruction(cursor)?));
    }
    Ok(())
}

fn instruction(cursor: &mut Cursor<'_>) -> Result<Inst, Diagnostic> {
    const WHAT: &str = "an instruction, a label, `|` or `;`";
    let mut word = cursor.word(WHAT)?;
    let start = word.at;
    let lock = word.text.eq_ignore_ascii_case("lock");
    if lock {
        word = cursor.word("the instruction that is locked")?;
    }
    branch_hint(cursor, &word);
    let mut args = Vec::new();
    let mut at = start.to(word.at);
    // An `exists` on a later line is not an operand: the `;` before it is missing.
    let missing_end = cursor.at().line > word.at.line && at_condition(cursor);
    if !missing_end && !matches!(cursor.peek(), Tok::Punct('|' | ';')) {
        loop {
            let arg = argument(cursor)?;
            at = at.to(arg.at);
            args.push(arg);
            if !cursor.eat_punct(',') {
                break;
            }
        }
    }
    Ok(Inst { at, lock, mnemonic: word.text.to_ascii_lowercase(), args })
}

/// Skips the sign in `bne- L`, which is only a hint for branch prediction.
fn branch_hint(cursor: &mut Cursor<'_>, word: &Name) {
    let sign = cursor.is_punct('+') || cursor.is_punct('-');
    let branch = word.text.starts_with(['b', 'B']) && word.at.end == cursor.at().start;
    if sign && branch && matches!(cursor.peek_at(1), Tok::Word(_)) {
        cursor.bump();
    }
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Arg, Diagnostic> {
    let start = cursor.at();
    if cursor.eat_punct('[') {
        let mut mem = bracketed(cursor)?;
        let mut end = cursor.expect_punct(']', "`]` after the address")?;
        if cursor.is_punct('!') {
            end = cursor.at();
            cursor.bump();
            mem.writeback = true;
        }
        return Ok(Arg { at: start.to(end), kind: ArgKind::Mem(mem) });
    }
    if cursor.is_punct('(') {
        return based(cursor, start, 0);
    }
    if matches!(cursor.peek(), Tok::Word(_) | Tok::Punct('%')) {
        let name = cursor.name("an operand")?;
        return Ok(Arg { at: name.at, kind: ArgKind::Name(name) });
    }
    let value = immediate(cursor, "an operand: a register, a number, an address or a label")?;
    if cursor.is_punct('(') {
        return based(cursor, start, value.0);
    }
    Ok(Arg { at: start.to(value.1), kind: ArgKind::Int(value.0) })
}

/// `1`, `#1`, `$1`, each with an optional sign.
fn immediate(cursor: &mut Cursor<'_>, what: &str) -> Result<(i128, At), Diagnostic> {
    if cursor.is_punct('#') || cursor.is_punct('$') {
        cursor.bump();
        return cursor.int("a number");
    }
    cursor.int(what)
}

/// `(base)` with the displacement before it.
fn based(cursor: &mut Cursor<'_>, start: At, disp: i128) -> Result<Arg, Diagnostic> {
    cursor.bump();
    let base = base(cursor)?;
    let end = cursor.expect_punct(')', "`)` after the address")?;
    let mem = Mem { base, index: None, disp, writeback: false };
    Ok(Arg { at: start.to(end), kind: ArgKind::Mem(mem) })
}

fn base(cursor: &mut Cursor<'_>) -> Result<Name, Diagnostic> {
    cursor.name("a register or a location")
}

/// The part of an address between brackets.
fn bracketed(cursor: &mut Cursor<'_>) -> Result<Mem, Diagnostic> {
    let mut mem = Mem { base: base(cursor)?, index: None, disp: 0, writeback: false };
    if cursor.eat_punct(',') {
        if matches!(cursor.peek(), Tok::Word(_) | Tok::Punct('%')) {
            mem.index = Some(cursor.name("a register")?);
        } else {
            mem.disp = immediate(cursor, "a register or a number")?.0;
        }
    } else if cursor.is_punct('+') || cursor.is_punct('-') {
        mem.disp = cursor.int("a number")?.0;
    }
    Ok(mem)
}
