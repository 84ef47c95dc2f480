//! Edits of litmus tests, automata and IR text.
//!
//! An instruction has a line, or a cell of one, so a fence before or after it is a line of its own.

use crate::statement::{Statement, litmus};
use crate::text::{self, Piece, indent, line_end, line_start, next_line};
use crate::{FileEdit, Placed, SourceFile, Trial, Written};
use raddle_analysis::fence::Fence;
use raddle_ir::{FileKind, Loc, LocId, Mnemonic, Program};
use std::collections::BTreeSet;

pub(crate) fn write(files: &[SourceFile], trial: &Trial<'_>) -> Written {
    let [file] = files else { return Written::default() };
    let all: BTreeSet<usize> = (0..trial.fences.len()).collect();
    let ways = [Way::Before, Way::After, Way::Label];
    let whole = ways.iter().map(|way| draft(file, trial, &|_| *way, &all));
    let written = trial.first_good(whole.flatten(), &all);
    if written.checked.is_some() {
        return written;
    }
    // Each fence alone is tried in every way; the first right one is taken.
    let right = |fence: usize| {
        let one = BTreeSet::from([fence]);
        let good = |way: &&Way| {
            let draft = draft(file, trial, &|_| **way, &one);
            draft.is_some_and(|draft| trial.read(&draft, &one).is_some())
        };
        ways.iter().find(good).copied()
    };
    let chosen: Vec<Option<Way>> = all.iter().map(|fence| right(*fence)).collect();
    let some: BTreeSet<usize> = all.into_iter().filter(|fence| chosen[*fence].is_some()).collect();
    let way = |fence: usize| chosen[fence].unwrap_or(Way::Before);
    trial.first_good(draft(file, trial, &way, &some).into_iter(), &some)
}

/// How a fence is inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Before the line of the next instruction.
    Before,
    /// After the line of the previous instruction.
    After,
    /// Between the next instruction and its label, which stays before the fence.
    Label,
}

fn draft(
    file: &SourceFile,
    trial: &Trial<'_>,
    way: &dyn Fn(usize) -> Way,
    written: &BTreeSet<usize>,
) -> Option<Written> {
    let mut draft = Written::default();
    let (mut pieces, mut marks) = (Vec::new(), Vec::new());
    for number in written {
        let fence = &trial.fences[*number];
        let words = match file.kind {
            // Automata have only one kind of fence.
            Some(FileKind::Automata) => "mfence".to_owned(),
            Some(FileKind::Litmus) => litmus(fence.kind, &first_word(&file.text)),
            _ => format!("fence {}", fence.kind.mnemonic()),
        };
        let added = pieces_of(file, trial.program, fence, way(*number), &words, *number)?;
        let at = added.first()?.at;
        marks.push(Placed { range: at..at, fences: vec![*number], further: 0 });
        pieces.extend(added);
        draft.statements.insert(*number, Statement { words, header: None });
    }
    draft.files.push(FileEdit {
        path: file.path.clone(),
        old: file.text.clone(),
        new: text::with(&file.text, &pieces),
        fences: marks,
    });
    Some(draft)
}

fn pieces_of(
    file: &SourceFile,
    program: &Program,
    fence: &Fence,
    way: Way,
    words: &str,
    number: usize,
) -> Option<Vec<Piece>> {
    let point = fence.place.point;
    let block = &program.funcs[point.func].blocks[point.block];
    let index = point.index as usize;
    let next = block.insts.get(index).map_or(block.term.loc, |inst| inst.loc);
    let loc = match way {
        Way::Before | Way::Label => next,
        Way::After => block.insts.get(index.checked_sub(1)?)?.loc,
    };
    let loc = position(file, program, loc)?;
    match (file.kind?, way) {
        (FileKind::Litmus, Way::Label) => Some(vec![behind_label(file, loc, words)?]),
        (_, Way::Label) => None,
        (FileKind::Rir, _) => Some(vec![row(file, loc.line, way, words)?]),
        (FileKind::Litmus, _) => Some(vec![cell(file, loc, way, words)?]),
        (FileKind::Automata, Way::After) => transition(file, loc.line, words, number),
        (FileKind::Automata, Way::Before) => state(file, loc.line, words, number),
        _ => None,
    }
}

fn first_word(text: &[u8]) -> String {
    let word = text.trim_ascii_start().split(u8::is_ascii_whitespace).next();
    String::from_utf8_lossy(word.unwrap_or_default()).into_owned()
}

fn position<'p>(file: &SourceFile, program: &'p Program, loc: LocId) -> Option<&'p Loc> {
    let loc = program.loc(loc)?;
    let name = program.files.get(loc.file as usize)?;
    file.is_named(name).then_some(loc)
}

fn row(file: &SourceFile, line: u32, way: Way, words: &str) -> Option<Piece> {
    let text = &file.text;
    let start = file.start_of(line)?;
    let first = start + text[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let added = [indent(text, first), words.as_bytes(), line_end(text).as_bytes()].concat();
    Some(Piece::stands(if way == Way::After { next_line(text, start) } else { start }, added))
}

/// A row of a litmus test with the fence in the column of an instruction.
fn cell(file: &SourceFile, loc: &Loc, way: Way, words: &str) -> Option<Piece> {
    let text = &file.text;
    let start = file.start_of(loc.line)?;
    let end = next_line(text, start);
    let line = text[start..end].trim_ascii_end();
    let column = (loc.column as usize).checked_sub(1)?;
    let wanted = line.get(..column)?.iter().filter(|byte| **byte == b'|').count();
    let closed = line.ends_with(b";");
    let cells = line.strip_suffix(b";").unwrap_or(line).split(|byte| *byte == b'|');
    let mut added = Vec::new();
    for (number, cell) in cells.enumerate() {
        if number > 0 {
            added.push(b'|');
        }
        let blanks = cell.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let content = if number == wanted { words } else { "" };
        let width = cell.len().saturating_sub(blanks);
        added.extend_from_slice(&cell[..blanks]);
        added.extend_from_slice(format!("{content:width$}").as_bytes());
        if number == wanted && content.len() >= width && width > 0 {
            added.push(b' ');
        }
    }
    if closed {
        added.push(b';');
    }
    added.extend_from_slice(line_end(text).as_bytes());
    Some(Piece::stands(if way == Way::After { end } else { start }, added))
}

/// Divides a row of a litmus test between a label and its instruction: the fence gets the label. Cells on
/// the left stay in the first row, those on the right move to the second.
fn behind_label(file: &SourceFile, loc: &Loc, words: &str) -> Option<Piece> {
    let text = &file.text;
    let start = file.start_of(loc.line)?;
    let line = text[start..next_line(text, start)].trim_ascii_end().strip_suffix(b";")?;
    let (head, rest) = line.split_at_checked((loc.column as usize).checked_sub(1)?)?;
    if !head.trim_ascii_end().ends_with(b":") {
        return None;
    }
    let blank = |byte: &u8| if *byte == b'|' { b'|' } else { b' ' };
    let width = rest.iter().position(|byte| *byte == b'|').unwrap_or(rest.len());
    let mut added = format!("{words:width$}").into_bytes();
    if words.len() >= width {
        added.push(b' ');
    }
    added.extend(rest[width..].iter().map(blank));
    added.push(b';');
    added.extend_from_slice(line_end(text).as_bytes());
    added.extend(head.iter().map(blank));
    Some(Piece::stands(start + head.len(), added))
}

/// Makes `transition a b …` go to a new state first, and from there to `b` by the fence.
fn transition(file: &SourceFile, line: u32, words: &str, number: usize) -> Option<Vec<Piece>> {
    let text = &file.text;
    let start = file.start_of(line)?;
    let parts = parts(text, start)?;
    let target = &parts.target;
    let new = fresh(text, number);
    let name = String::from_utf8_lossy(&text[target.clone()]).into_owned();
    let eol = line_end(text);
    let blanks = String::from_utf8_lossy(indent(text, parts.keyword)).into_owned();
    let added = format!("{blanks}transition {new}{name} {name} {words}{eol}");
    Some(vec![Piece::stands(target.start, new), Piece::stands(next_line(text, start), added)])
}

/// Makes all transitions from a state leave a new state instead, to which the fence leads.
fn state(file: &SourceFile, line: u32, words: &str, number: usize) -> Option<Vec<Piece>> {
    let text = &file.text;
    let here = file.start_of(line)?;
    let name = text[parts(text, here)?.source].to_vec();
    let new = fresh(text, number);
    let is_thread = |at: usize| {
        let word = text[at..].trim_ascii_start();
        word.starts_with(b"thread ") || word.starts_with(b"thread\t")
    };
    // The lines of this thread.
    let (mut at, mut lines) = (0, Vec::new());
    while at < text.len() {
        match is_thread(at) {
            true if at > here => break,
            true => lines.clear(),
            false => lines.push(at),
        }
        at = next_line(text, at);
    }
    let mut pieces = Vec::new();
    let mut earliest = None;
    for line in lines {
        let Some(parts) = parts(text, line) else { continue };
        if text[parts.source.clone()] == name[..] {
            earliest = earliest.or(Some(line));
            pieces.push(Piece::stands(parts.source.start, new.clone()));
        }
    }
    let name = String::from_utf8_lossy(&name).into_owned();
    let added = format!("transition {name} {new}{name} {words}{}", line_end(text));
    pieces.insert(0, Piece::stands(line_start(text, earliest?), added));
    Some(pieces)
}

/// The positions of the words of a transition.
struct Parts {
    keyword: usize,
    source: std::ops::Range<usize>,
    target: std::ops::Range<usize>,
}

fn parts(text: &[u8], start: usize) -> Option<Parts> {
    let end = next_line(text, start);
    let mut words = Vec::new();
    let mut at = start;
    while at < end && words.len() < 3 {
        let blanks = text[at..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let from = at + blanks;
        let length = text[from..end].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        words.push(from..from + length);
        at = from + length;
    }
    let [keyword, source, target] = <[_; 3]>::try_from(words).ok()?;
    (&text[keyword.clone()] == b"transition").then_some(Parts {
        keyword: keyword.start,
        source,
        target,
    })
}

/// A prefix that no word of the text begins with.
fn fresh(text: &[u8], number: usize) -> String {
    let mut tries = 0;
    loop {
        let prefix = match tries {
            0 => format!("fence{number}_"),
            _ => format!("fence{number}_{tries}_"),
        };
        if !text.windows(prefix.len()).any(|window| window == prefix.as_bytes()) {
            return prefix;
        }
        tries += 1;
    }
}
