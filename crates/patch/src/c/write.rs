//! Writes additions at sites as text.

use super::sites::{Shape, Site, Unit};
use crate::statement::Words;
use crate::text::{Piece, begins_line, indent, line_end, line_start, next_line};
use std::collections::BTreeMap;
use std::ops::Range;

/// The layout of additions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// No line is added, so that all lines keep their numbers.
    Inline,
    /// As a person would write it.
    Lines,
}

/// The texts before and after a body that gets braces.
#[derive(Default)]
struct Around<'w> {
    owner: usize,
    before: Vec<&'w str>,
    after: Vec<&'w str>,
}

/// The pieces for one file.
pub(crate) fn pieces<'w>(
    text: &[u8],
    units: &[Unit],
    sites: impl Iterator<Item = (&'w Site, &'w Words)>,
    cpp: bool,
    layout: Layout,
) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut braced: BTreeMap<(usize, usize, bool), Around<'w>> = BTreeMap::new();
    for (site, words) in sites {
        let in_macro = units[site.unit].macro_name.is_some();
        let lines = layout == Layout::Lines && !in_macro;
        let range = &site.range;
        match site.shape {
            Shape::Statement { like } => {
                let statement = &words.statement;
                out.push(match (layout, begins_line(text, range.start)) {
                    (Layout::Lines, true) => own_line(text, range.start, like, statement, in_macro),
                    _ => Piece::stands(range.start, format!("{statement} ")),
                });
            }
            Shape::Braced { owner, after } => {
                let key = (range.start, range.end, lines);
                let around = braced.entry(key).or_default();
                around.owner = owner;
                let list = if after { &mut around.after } else { &mut around.before };
                list.push(&words.statement);
            }
            shape => out.extend(expression(shape, range, &words.expression, cpp)),
        }
    }
    for ((start, end, lines), around) in &braced {
        out.extend(braces(text, &(*start..*end), around, *lines));
    }
    out
}

/// A statement on its own line before that of a position.
fn own_line(text: &[u8], at: usize, like: usize, words: &str, in_macro: bool) -> Piece {
    let start = line_start(text, at);
    let mut line = [indent(text, like.min(text.len())), words.as_bytes()].concat();
    if in_macro {
        // In a macro, lines end with a backslash, in the same column as that of the line before.
        let before = text[..start].trim_ascii_end();
        let column = before.len() - 1 - line_start(text, before.len() - 1);
        let has_tabs = text[line_start(text, before.len() - 1)..before.len()].contains(&b'\t');
        let width = if has_tabs { 0 } else { column };
        line.resize(width.max(line.len() + 1), b' ');
        line.push(b'\\');
    }
    line.extend_from_slice(line_end(text).as_bytes());
    Piece::stands(start, line)
}

fn expression(shape: Shape, range: &Range<usize>, words: &str, cpp: bool) -> Vec<Piece> {
    let end = |depth: u8, text: &str| Piece::closes(range.end, range, depth, text);
    match shape {
        Shape::First => vec![Piece::opens(range, 0, format!("{words}, "))],
        Shape::Comma => vec![Piece::opens(range, 0, format!("({words}, ")), end(0, ")")],
        Shape::Then => vec![end(0, &format!(", {words}"))],
        Shape::Value => {
            let auto = if cpp { "auto" } else { "__auto_type" };
            let begin = format!("__extension__({{ {auto} value_before_fence = ");
            let rest = format!("; {words}; value_before_fence; }})");
            vec![Piece::opens(range, 1, begin), end(1, &rest)]
        }
        Shape::Statement { .. } | Shape::Braced { .. } => Vec::new(),
    }
}

fn braces(text: &[u8], body: &Range<usize>, around: &Around<'_>, lines: bool) -> Vec<Piece> {
    let eol = line_end(text).as_bytes();
    let outer = indent(text, around.owner);
    let inner = indent(text, body.start);
    let line = |blanks: &[u8], words: &str| [blanks, words.as_bytes(), eol].concat();
    let several = |list: &[&str]| list.iter().flat_map(|w| line(inner, w)).collect::<Vec<u8>>();
    let mut out = Vec::new();
    let own_line = lines && begins_line(text, body.start);
    if own_line {
        let start = line_start(text, body.start);
        let head = text[..start].trim_ascii_end();
        // A brace cannot follow a comment that extends to the end of the line.
        let last = &text[line_start(text, head.len())..head.len()];
        let commented = last.windows(2).any(|two| two == b"//" || two == b"*/");
        let opening = match commented || last.trim_ascii_start().starts_with(b"#") {
            true => line(outer, "{"),
            false => {
                out.push(Piece::stands(head.len(), " {"));
                Vec::new()
            }
        };
        out.push(Piece {
            at: start,
            ..Piece::opens(body, 0, [opening, several(&around.before)].concat())
        });
    } else {
        let words: String = around.before.iter().map(|words| format!("{words} ")).collect();
        out.push(Piece::opens(body, 0, format!("{{ {words}")));
    }
    let next = next_line(text, body.end);
    let rest = text[body.end..next].trim_ascii();
    let comment = rest.starts_with(b"//") || rest.starts_with(b"/*") && rest.ends_with(b"*/");
    if own_line && (rest.is_empty() || comment) {
        let mut closing = [several(&around.after), line(outer, "}")].concat();
        if !text[..next].ends_with(b"\n") {
            closing = [eol, &closing[..closing.len() - eol.len()]].concat();
        }
        out.push(Piece::closes(next, body, 0, closing));
    } else {
        let words: String = around.after.iter().map(|words| format!(" {words}")).collect();
        out.push(Piece::closes(body.end, body, 0, format!("{words} }}")));
    }
    out
}
