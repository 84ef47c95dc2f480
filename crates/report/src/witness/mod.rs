//! A witness as text: the events in execution order, one column per thread, and the cause.
//!
//! A row is a step: its number, its line, the event in the column of its thread, and the source at the first
//! occurrence of a line. Rows that the cause refers to have a star. If the width has no room for all threads,
//! the witness is a list instead. Some events are left out ([`shown`]): events after the failure, creation
//! and destruction of stack objects, and internal events of a library, outside of any call from the source or
//! on the way to the called operation. Of a very long witness the middle is left out, with a note.

mod columns;
mod legend;
mod library;
mod list;
mod shown;
mod wrap;

use crate::paint::{Ink, paint};
use crate::{Look, Run, printable};
use library::Telling;
use raddle_analysis::why::upto_failure;
use raddle_analysis::{Cause, Violation};
use raddle_engine::{Deed, ReplayEvent};
use raddle_ir::{LocId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The number of rows shown at each end of a witness that is longer than both ends together.
const END_ROWS: usize = 150;

/// One row of the witness, ready for layout.
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
    /// The number of rows that were left out.
    left_out: usize,
    /// The objects of the heap in the rows.
    mentioned: BTreeSet<String>,
}

/// The witness of a violation, indented, with the line that states the cause.
pub fn text(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> String {
    let story = Story::of(run, look, violation);
    let mut out = columns::text(look, &story).unwrap_or_else(|| list::text(look, &story));
    // Writing to a string cannot fail.
    if story.left_out > 0 {
        let words = "steps in the middle are left out; --json and --witness have them";
        let _ = writeln!(out, "    {} {words}", story.left_out);
    }
    let legend = legend::text(run, &violation.witness.origins, &story.mentioned);
    if !legend.is_empty() {
        out.push('\n');
        out.push_str(&legend);
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

/// The events along a schedule that does not end in a failure, indented.
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
        let tellings = library::tellings(run.program, events);
        let is_shown =
            |n: &usize| starred.contains(n) || kept[*n] && tellings[*n] != Telling::Silent;
        let shown: Vec<usize> = (0..events.len()).filter(is_shown).collect();
        let file = only_file(run, shown.iter().map(|n| events[*n].place(run.program)));
        let threads: BTreeMap<u32, &String> =
            shown.iter().map(|n| (events[*n].number, &events[*n].thread)).collect();
        let mut seen = BTreeSet::new();
        // Only the events that are shown become rows, because there can be a million events.
        let (mut rows, mut mentioned) = (Vec::new(), BTreeSet::new());
        for n in ends(&shown, starred) {
            let event = &events[n];
            let at = event.place(run.program);
            let line = run.program.loc(at).map(|loc| (loc.file, loc.line));
            let fresh = !matches!(event.deed, Deed::Update { .. }) && seen.insert(line);
            let source = look.sources.line(run.program, at).filter(|_| fresh);
            let mut what = match &tellings[n] {
                Telling::InWords(words) => words.clone(),
                _ => event.what(),
            };
            legend::mentioned(event, &what, &mut mentioned);
            if look.calls {
                what.push_str(&chain(run.program, event));
            }
            rows.push(Row {
                number: n + 1,
                starred: starred.contains(&n),
                thread: event.number,
                place: place(run, at, file.is_some()),
                what: printable(&what),
                ink: ink(&event.deed),
                source: source.unwrap_or_default(),
            });
        }
        Story {
            left_out: shown.len() - rows.len(),
            rows,
            mentioned,
            threads: threads.into_iter().map(|(n, name)| (n, printable(name))).collect(),
            place_heading: if file.is_some() { "line" } else { "place" },
        }
    }
}

/// The first and the last events to show, and the starred ones between them.
fn ends(shown: &[usize], starred: &BTreeSet<usize>) -> Vec<usize> {
    if shown.len() <= 2 * END_ROWS {
        return shown.to_vec();
    }
    let last = shown.len() - END_ROWS;
    let between = shown[END_ROWS..last].iter().filter(|n| starred.contains(n));
    shown[..END_ROWS].iter().chain(between).chain(&shown[last..]).copied().collect()
}

/// The events that a cause refers to.
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
        Some(file) if !line_only => {
            format!("{}:{}", printable(&run.program.short_name(file)), loc.line)
        }
        _ => loc.line.to_string(),
    }
}

/// The calls that lead to an event: ` [pop, queue.h:12 < work, main.c:40]`.
fn chain(program: &Program, event: &ReplayEvent) -> String {
    let calls = event.calls.iter().filter_map(|frame| {
        let place = program.short_place(frame.at)?;
        Some(format!("{}, {place}", program.funcs.get(frame.func)?.name))
    });
    let calls: Vec<String> = calls.collect();
    match calls.len() {
        0 | 1 => String::new(),
        _ => format!(" [{}]", calls.join(" < ")),
    }
}
