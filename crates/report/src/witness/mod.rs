//! A witness as text: the events in execution order, one column per thread, and the cause.
//!
//! A row is a step: its number, its line, the event in the column of its thread, and the source at the first
//! occurrence of a line. Rows that the cause refers to have a star. If the width has no room for all threads,
//! the witness is a list instead. Some events are left out ([`shown`]): events after the failure, creation
//! and destruction of stack objects, and internal events of a library, outside of any call from the source or
//! on the way to the called operation. A long witness is folded ([`fold`]), with a note.

mod columns;
mod fold;
mod list;
mod rounds;
mod shown;
mod wrap;

use crate::paint::{Ink, paint};
use crate::{Look, Run, printable};
use fold::Part;
use raddle_analysis::why::upto_failure;
use raddle_analysis::{Cause, Violation};
use raddle_engine::{Deed, ReplayEvent};
use raddle_ir::LocId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// One row of the witness, ready for layout.
struct Row {
    /// Counted from 1, over all events; `None` for a row that stands for several events.
    number: Option<usize>,
    starred: bool,
    /// Number of the thread.
    thread: u32,
    /// `17`, or `file:17` if there are several files; empty without a position.
    place: String,
    what: String,
    ink: Ink,
    /// The source line, at its first occurrence.
    source: String,
}

/// The rows of a witness and their common data.
struct Story {
    rows: Vec<Row>,
    /// The number and name of each thread that has events, in order.
    threads: Vec<(u32, String)>,
    /// The heading of the column of places.
    place_heading: &'static str,
    /// The number of the last row that has one.
    last_number: usize,
    /// The number of events, and how many of them are folded into rows for several.
    events: usize,
    folded: usize,
}

/// The witness of a violation, indented, with the line that states the cause.
pub fn text(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> String {
    let story = Story::of(run, look, violation);
    let mut out = story.text(look);
    // Writing to a string cannot fail.
    if let Some(why) = &violation.witness.why {
        let why = format!("why: {}", printable(&why.words));
        out.push('\n');
        for (n, line) in wrap::wrapped(&why, look.width.saturating_sub(4)).iter().enumerate() {
            let indent = if n == 0 { "  " } else { "    " };
            let _ = writeln!(out, "{indent}{}", paint(look.colour, Ink::Reason, line));
        }
    }
    out
}

/// The events along a schedule that does not end in a failure, indented.
pub fn story(run: &Run<'_>, look: &Look<'_>, events: &[ReplayEvent]) -> String {
    Story::of_events(run, look, events, &BTreeSet::new()).text(look)
}

impl Story {
    fn of(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> Story {
        let witness = &violation.witness;
        let events = upto_failure(&witness.events, &violation.offence);
        let causes = witness.why.as_ref().map_or(&[][..], |why| &why.causes);
        let starred: BTreeSet<usize> = causes.iter().flat_map(Cause::events).collect();
        Story::of_events(run, look, events, &starred)
    }

    fn of_events(
        run: &Run<'_>,
        look: &Look<'_>,
        events: &[ReplayEvent],
        starred: &BTreeSet<usize>,
    ) -> Story {
        let kept = shown::shown(run, events);
        let is_shown = |n: &usize| starred.contains(n) || kept[*n];
        let shown: Vec<usize> = (0..events.len()).filter(is_shown).collect();
        let file = only_file(run, shown.iter().map(|n| events[*n].loc));
        let threads: BTreeMap<u32, &String> =
            shown.iter().map(|n| (events[*n].number, &events[*n].thread)).collect();
        let parts = match look.all_steps {
            true => shown.iter().map(|n| Part::Event(*n)).collect(),
            false => fold::folded(events, &shown, starred),
        };
        let mut seen = BTreeSet::new();
        // Only the events that are shown become rows, because there can be a million events.
        let mut rows = Vec::new();
        for part in &parts {
            let Part::Event(n) = *part else {
                rows.extend(folded_row(run, events, part));
                continue;
            };
            let event = &events[n];
            let line = run.program.loc(event.loc).map(|loc| (loc.file, loc.line));
            let fresh = !matches!(event.deed, Deed::Update { .. }) && seen.insert(line);
            let source = look.sources.line(run.program, event.loc).filter(|_| fresh);
            rows.push(Row {
                number: Some(n + 1),
                starred: starred.contains(&n),
                thread: event.number,
                place: place(run, event.loc, file.is_some()),
                what: printable(&event.what()),
                ink: ink(&event.deed),
                source: source.unwrap_or_default(),
            });
        }
        let folded = parts.iter().filter(|part| !matches!(part, Part::Event(_)));
        Story {
            last_number: rows.iter().rev().find_map(|row| row.number).unwrap_or(1),
            rows,
            threads: threads.into_iter().map(|(n, name)| (n, printable(name))).collect(),
            place_heading: if file.is_some() { "line" } else { "place" },
            events: shown.len(),
            folded: folded.map(|part| part.events().len()).sum(),
        }
    }

    fn text(&self, look: &Look<'_>) -> String {
        let mut out = columns::text(look, self).unwrap_or_else(|| list::text(look, self));
        if self.folded > 0 {
            let (folded, all) = (grouped(self.folded), grouped(self.events));
            let words = format!("{folded} of {all} steps are folded; --all-steps shows them");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    {}", paint(look.colour, Ink::Faint, &words));
        }
        out
    }
}

/// The row for several events: `... 17 rounds of the loop at x.c:40`.
fn folded_row(run: &Run<'_>, events: &[ReplayEvent], part: &Part) -> Option<Row> {
    let told = part.events();
    let first = &events[*told.first()?];
    let threads: BTreeMap<u32, &String> =
        told.iter().map(|n| (events[*n].number, &events[*n].thread)).collect();
    let places = match threads.len() {
        1 => places(run, told.iter().map(|n| events[*n].loc)),
        _ => String::new(),
    };
    let steps = counted_words(told.len(), "step");
    let words = match part {
        Part::Rounds { rounds, .. } => {
            let rounds = counted_words(*rounds, "more round");
            format!("... {rounds} of the loop{places} ({steps})")
        }
        _ => {
            let names: Vec<&str> = threads.values().map(|name| name.as_str()).collect();
            let names = match &names[..] {
                [one] => format!(" of {one}"),
                [one, two] => format!(" of {one} and {two}"),
                many => format!(" of {} threads", many.len()),
            };
            format!("... {steps}{names}{places}")
        }
    };
    Some(Row {
        number: None,
        starred: false,
        thread: first.number,
        place: String::new(),
        what: printable(&words),
        ink: Ink::Faint,
        source: String::new(),
    })
}

/// ` at x.c:10-35`; if there are several files, only the first place.
fn places(run: &Run<'_>, locs: impl Iterator<Item = LocId> + Clone) -> String {
    let found = || locs.clone().filter_map(|loc| run.program.loc(loc));
    let Some(first) = found().next() else { return String::new() };
    let Some(file) = run.program.files.get(first.file as usize) else { return String::new() };
    let lines = || found().filter(|loc| loc.file == first.file).map(|loc| loc.line);
    let (Some(from), Some(to)) = (lines().min(), lines().max()) else { return String::new() };
    let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
    let others = if found().any(|loc| loc.file != first.file) { " and elsewhere" } else { "" };
    format!(" at {}:{range}{others}", short(file))
}

/// `1 step`, `1,204 steps`.
fn counted_words(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// `1,204`
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn ink(deed: &Deed) -> Ink {
    match deed {
        Deed::Buffer { .. } => Ink::Buffered,
        Deed::Update { .. } => Ink::Update,
        Deed::Fail { .. } | Deed::Stuck(_) => Ink::Bad,
        _ => Ink::Plain,
    }
}

/// The file that contains all positions, if there is only one.
fn only_file(run: &Run<'_>, locs: impl Iterator<Item = LocId>) -> Option<String> {
    let mut files = locs.filter_map(|loc| run.program.loc(loc)).map(|loc| loc.file);
    let first = files.next()?;
    let only = files.all(|file| file == first);
    run.program.files.get(first as usize).filter(|_| only).cloned()
}

fn place(run: &Run<'_>, loc: LocId, line_only: bool) -> String {
    let Some(loc) = run.program.loc(loc) else { return String::new() };
    let file = run.program.files.get(loc.file as usize);
    match file {
        Some(file) if !line_only => format!("{}:{}", printable(&short(file)), loc.line),
        _ => loc.line.to_string(),
    }
}

/// A file name without directories.
fn short(file: &str) -> String {
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| file.to_owned())
}
