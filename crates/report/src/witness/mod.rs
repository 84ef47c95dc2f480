//! A witness as text: what happened in execution order, one column per thread, and why it matters.
//!
//! A row is a step: its number, its line, what happened in its thread's column, and the source
//! where a line comes up first. Rows that the reason speaks of carry a star. With more threads than
//! the width has room for, it is a list instead. What comes after the failure is left out, and so
//! are the births and deaths of stack objects and what a library does on its own account, outside of
//! any call from the source, or on the way to what was called ([`shown`]). Of a very long story the
//! middle is left out, and that is said.

mod columns;
mod list;
mod shown;
mod wrap;

use crate::paint::{Ink, paint};
use crate::{Look, Run, printable};
use raddle_analysis::why::upto_failure;
use raddle_analysis::{Cause, Violation};
use raddle_engine::{Deed, ReplayEvent};
use raddle_ir::LocId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Rows that are shown at each end of a story that is longer than both together.
const END_ROWS: usize = 150;

/// One line of the story, ready to be laid out.
struct Row {
    /// Counted from 1, over all events.
    number: usize,
    starred: bool,
    /// Number of the thread.
    thread: u32,
    /// `17`, or `file:17` if there are several files; empty without a position.
    place: String,
    what: String,
    ink: Ink,
    /// The source, where its line comes up first.
    source: String,
}

/// A witness's rows, and what they have in common.
struct Story {
    rows: Vec<Row>,
    /// Number and name of each thread that does something, in order.
    threads: Vec<(u32, String)>,
    /// What the column of places is called.
    place_heading: &'static str,
    /// How many rows were left out.
    left_out: usize,
}

/// The story of a violation, indented, with the line that says why.
pub fn text(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> String {
    let story = Story::of(run, look, violation);
    let mut out = columns::text(look, &story).unwrap_or_else(|| list::text(look, &story));
    // Writing to a string cannot fail.
    if story.left_out > 0 {
        let words = "steps in the middle are left out; --json and --witness have them";
        let _ = writeln!(out, "    {} {words}", story.left_out);
    }
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

/// What happens along a schedule that ends in no failure, indented.
pub fn story(run: &Run<'_>, look: &Look<'_>, events: &[ReplayEvent]) -> String {
    let story = Story::of_events(run, look, events, &BTreeSet::new());
    columns::text(look, &story).unwrap_or_else(|| list::text(look, &story))
}

impl Story {
    fn of(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> Story {
        let witness = &violation.witness;
        let events = upto_failure(&witness.events, &violation.offence);
        let causes = witness.why.as_ref().map_or(&[][..], |why| &why.causes);
        let starred: BTreeSet<usize> = causes.iter().flat_map(named).collect();
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
        let mut seen = BTreeSet::new();
        // Rows are made only of what is laid out: a story can have a million events.
        let mut rows = Vec::new();
        for n in ends(&shown, starred) {
            let event = &events[n];
            let line = run.program.loc(event.loc).map(|loc| (loc.file, loc.line));
            let fresh = !matches!(event.deed, Deed::Update { .. }) && seen.insert(line);
            let source = look.sources.line(run.program, event.loc).filter(|_| fresh);
            rows.push(Row {
                number: n + 1,
                starred: starred.contains(&n),
                thread: event.number,
                place: place(run, event.loc, file.is_some()),
                what: printable(&event.what()),
                ink: ink(&event.deed),
                source: source.unwrap_or_default(),
            });
        }
        Story {
            left_out: shown.len() - rows.len(),
            rows,
            threads: threads.into_iter().map(|(n, name)| (n, printable(name))).collect(),
            place_heading: if file.is_some() { "line" } else { "place" },
        }
    }
}

/// The first and the last of the events that could be shown, and those with a star between.
fn ends(shown: &[usize], starred: &BTreeSet<usize>) -> Vec<usize> {
    if shown.len() <= 2 * END_ROWS {
        return shown.to_vec();
    }
    let last = shown.len() - END_ROWS;
    let between = shown[END_ROWS..last].iter().filter(|n| starred.contains(n));
    shown[..END_ROWS].iter().chain(between).chain(&shown[last..]).copied().collect()
}

/// The events that a cause speaks of.
fn named(cause: &Cause) -> Vec<usize> {
    match *cause {
        Cause::StaleRead { read, store, overtaken_by } => {
            [read, store].into_iter().chain(overtaken_by).collect()
        }
        Cause::Overtaken { earlier, later } => vec![earlier, later],
        Cause::Delayed { store, read } => vec![store, read],
        Cause::Between { read, write, by } => vec![read, write, by],
        Cause::Source { read, write } => vec![read, write],
        Cause::Waits { waiter, taken } => [waiter].into_iter().chain(taken).collect(),
        Cause::InCycle { event } => vec![event],
        Cause::Object { allocated, freed } => allocated.into_iter().chain(freed).collect(),
    }
}

fn ink(deed: &Deed) -> Ink {
    match deed {
        Deed::Buffer { .. } => Ink::Buffered,
        Deed::Update { .. } => Ink::Update,
        Deed::Fail { .. } | Deed::Stuck(_) | Deed::Spin => Ink::Bad,
        _ => Ink::Plain,
    }
}

/// The one file that all positions are in.
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

/// A file without its folders.
fn short(file: &str) -> String {
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| file.to_owned())
}
