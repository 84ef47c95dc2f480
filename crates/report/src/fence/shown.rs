//! Fences as text: the changed lines of the source, or the place in words.

use super::{Asked, file, shown_place};
use crate::{Look, counted, printable};
use raddle_analysis::fence::{Calls, Fence};
use raddle_ir::{FileKind, LocId, Mnemonic};
use raddle_patch::statement::{by_hand, is_c};
use raddle_patch::{ChangeTag, Hunk};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Writes the edits, in the order of the source, and then the fences that have no edit.
pub(super) fn write_fences(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    fences: &[Fence],
) -> std::fmt::Result {
    let mut told = BTreeSet::new();
    for hunk in asked.written.hunks() {
        let numbers = hunk.fences.iter().filter(|number| told.insert(**number));
        let titles: BTreeSet<String> =
            numbers.filter_map(|n| fences.get(*n)).map(|fence| title(asked, fence)).collect();
        let numbers = hunk.fences.iter().filter_map(|number| fences.get(*number));
        let calls: BTreeSet<String> = numbers.filter_map(|fence| calls(asked, fence)).collect();
        match titles.is_empty() {
            false => {
                titles.iter().try_for_each(|title| writeln!(out, "  {title}"))?;
                calls.iter().try_for_each(|calls| writeln!(out, "    {calls}"))?;
            }
            true => {
                let file = printable(&hunk.path.to_string_lossy());
                let what = if hunk.fences.is_empty() { "what they need" } else { "the same" };
                writeln!(out, "  {file}:{}: {what}", changed_line(&hunk))?;
            }
        }
        // A macro or an inline function may be in a file of its own.
        let file = printable(&hunk.path.to_string_lossy());
        if titles.iter().any(|title| !title.starts_with(&format!("{file}:"))) {
            writeln!(out, "    in {file}:")?;
        }
        write_hunk(out, &hunk)?;
        if hunk.further > 0 {
            let further = counted(hunk.further as u64, "further fence");
            writeln!(out, "  {:>6}   the same text is used elsewhere: there it is {further}", "")?;
        }
    }
    let is_cut_short = asked.question.options.limits.budget.is_spent();
    let mut seen = BTreeSet::new();
    for (number, fence) in fences.iter().enumerate() {
        if !asked.written.statements.contains_key(&number) {
            let mut words = String::new();
            match is_cut_short {
                true => writeln!(words, "  {}", title(asked, fence))?,
                false => write_words(&mut words, asked, look, fence)?,
            }
            if seen.insert(words.clone()) {
                out.push_str(&words);
            }
        }
    }
    if is_cut_short && !seen.is_empty() {
        writeln!(out, "  the search for edits of the source was cut short")?;
    }
    Ok(())
}

/// `x.c:7 (writer): eieio`
pub(crate) fn title(asked: &Asked<'_>, fence: &Fence) -> String {
    let function = &asked.program.funcs[fence.place.point.func];
    let block = function.blocks[fence.place.point.block].name.as_deref();
    let block = block.filter(|_| !is_c(FileKind::of(Path::new(file(asked, fence)))));
    let block = block.map_or_else(String::new, |name| format!(", {}", printable(name)));
    let name = printable(&function.name);
    let place = printable(&shown_place(asked, fence));
    format!("{place} ({name}{block}): {}", fence.kind.mnemonic())
}

/// How many calls a fence affects, if it is in a function that is called several times:
/// `load is called at 7 places in 4 functions: the fence is part of each call`
pub(crate) fn calls(asked: &Asked<'_>, fence: &Fence) -> Option<String> {
    let Calls { sites, callers, stacks } = fence.place.calls;
    if stacks < 2 {
        return None;
    }
    let name = printable(&asked.program.funcs[fence.place.point.func].name);
    let (places, functions) = (counted(sites.into(), "place"), counted(callers.into(), "function"));
    let stacks = match stacks > sites {
        true => format!(", with {stacks} call stacks"),
        false => String::new(),
    };
    let told = format!("{name} is called at {places} in {functions}{stacks}");
    Some(format!("{told}: the fence is part of each call"))
}

/// The first changed line, by its number before the change.
pub(crate) fn changed_line(hunk: &Hunk) -> usize {
    let kept = hunk.lines.iter().take_while(|(change, _)| *change == ChangeTag::Equal);
    hunk.line + kept.count()
}

fn write_hunk(out: &mut String, hunk: &Hunk) -> std::fmt::Result {
    let lines: Vec<(ChangeTag, String)> =
        hunk.lines.iter().map(|(change, text)| (*change, text.replace('\t', "    "))).collect();
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let filled = lines.iter().filter(|(_, text)| !text.trim().is_empty());
    let indent = filled.map(|(_, text)| blanks(text)).min().unwrap_or(0);
    let mut number = hunk.line;
    for (change, text) in &lines {
        let text = printable(text.get(indent..).unwrap_or_default());
        match change {
            ChangeTag::Insert => writeln!(out, "  {:>6} {change} {text}", "")?,
            _ => {
                writeln!(out, "  {number:>6} {change} {text}")?;
                number += 1;
            }
        }
    }
    Ok(())
}

/// Describes a place for which no edit is known.
fn write_words(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    fence: &Fence,
) -> std::fmt::Result {
    writeln!(out, "  {}", title(asked, fence))?;
    if let Some(calls) = calls(asked, fence) {
        writeln!(out, "    {calls}")?;
    }
    let place = &fence.place;
    let after = asked.program.loc(place.after).and(Some("after this"));
    write_line(out, asked, look, place.after, after.unwrap_or_default())?;
    write_line(out, asked, look, place.before, "before this")?;
    let is_c = is_c(FileKind::of(Path::new(file(asked, fence))));
    let why = match asked.question.options.limits.budget.spent() {
        Some(_) => "the search for an edit of the source that is this fence was cut short",
        None if is_c => {
            "no statement or operand that was tried in the source is here and nowhere else"
        }
        None => "no edit of the source is known to be this fence and nothing else",
    };
    writeln!(out, "  {:>6}   {why}", "")?;
    if !is_c {
        return Ok(());
    }
    let statement = by_hand(fence.kind);
    let between = match place.within_line {
        true => "divide the line into statements, with this between the two accesses",
        false => "write this between the two",
    };
    writeln!(out, "  {:>6}   by hand: {between}: {statement}", "")
}

/// A line of the source with a mark below the position.
fn write_line(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    loc: LocId,
    note: &str,
) -> std::fmt::Result {
    let shown = look.sources.line_and_offset(asked.program, loc);
    let (Some((text, offset)), Some(loc)) = (shown, asked.program.loc(loc)) else { return Ok(()) };
    let offset = offset.unwrap_or(0);
    writeln!(out, "  {:>6}   {text}", loc.line)?;
    writeln!(out, "  {:>6}   {:offset$}^ {note}", "", "")
}
