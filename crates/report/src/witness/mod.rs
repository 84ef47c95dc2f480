//! A witness as text: the events in execution order, one column per thread, and the cause.
//!
//! A row is a step: its number, its line, the event in the column of its thread, and the source at the first
//! occurrence of a line. Rows that the cause refers to have a star. If the width has no room for all threads,
//! the witness is a list instead. Some events are left out ([`mod@shown`]): events after the failure, creation
//! and destruction of stack objects, and internal events of a library, outside of any call from the source or
//! on the way to the called operation. A long witness is folded ([`fold`]), with a note.

mod columns;
mod copies;
mod fold;
mod legend;
mod library;
mod list;
mod rounds;
pub(crate) mod shown;
mod words;
mod wrap;

pub(crate) use library::Worded;

use crate::paint::{Ink, paint};
use crate::several;
use crate::{Look, Run, grouped, printable};
use fold::Part;
use raddle_analysis::why::upto_failure;
use raddle_analysis::{Cause, Violation};
use raddle_engine::{Deed, Origin, ReplayEvent};
use raddle_ir::{LocId, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use words::folded_row;

/// The lines of a page for a witness with its cause. The report around it has a few more.
const PAGE: usize = 54;
/// The number of rows that no lines are saved below.
const FEWEST_ROWS: usize = 12;

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
    /// The origins of the heap objects in the rows, one line each.
    legend: String,
}

/// The witness of a violation, indented, with the line that states the cause.
pub fn text(run: &Run<'_>, look: &Look<'_>, violation: &Violation) -> String {
    let witness = &violation.witness;
    let events = upto_failure(&witness.events, &violation.offence);
    let causes = witness.why.as_ref().map_or(&[][..], |why| &why.causes);
    let starred: BTreeSet<usize> = causes.iter().flat_map(Cause::events).collect();
    let why = witness.why.as_ref().map_or(String::new(), |why| reason(look, &why.words));
    let lines = PAGE.saturating_sub(why.lines().count());
    Told::of(run, events, &witness.origins, &starred).on_page(look, lines) + &why
}

/// The line that states the cause, after an empty one.
fn reason(look: &Look<'_>, words: &str) -> String {
    let mut out = String::from(
        "
",
    );
    let why = format!("why: {}", printable(words));
    for (n, line) in wrap::wrapped(&why, look.width.saturating_sub(4)).iter().enumerate() {
        let indent = if n == 0 { "  " } else { "    " };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{indent}{}", paint(look.colour, Ink::Reason, line));
    }
    out
}

/// The events along a schedule that does not end in a failure, indented.
pub fn story(run: &Run<'_>, look: &Look<'_>, events: &[ReplayEvent]) -> String {
    Told::of(run, events, &[], &BTreeSet::new()).on_page(look, PAGE)
}

/// Events, and those of them that have a row unless they are folded.
struct Told<'a> {
    run: &'a Run<'a>,
    events: &'a [ReplayEvent],
    origins: &'a [Origin],
    starred: &'a BTreeSet<usize>,
    worded: Worded,
    shown: Vec<usize>,
    /// Updates that follow right after their stores, with these, if both have one row.
    through: HashMap<usize, usize>,
    /// Whether all positions are in one file.
    one_file: bool,
    threads: Vec<(u32, String)>,
}

impl<'a> Told<'a> {
    fn of(
        run: &'a Run<'a>,
        events: &'a [ReplayEvent],
        origins: &'a [Origin],
        starred: &'a BTreeSet<usize>,
    ) -> Told<'a> {
        let worded = Worded::of(run, events);
        let is_shown = |n: &usize| starred.contains(n) || worded.shown()[*n];
        let shown: Vec<usize> = (0..events.len()).filter(is_shown).collect();
        let threads: BTreeMap<u32, &String> =
            shown.iter().map(|n| (events[*n].number, &events[*n].thread)).collect();
        let threads = threads.into_iter().map(|(n, name)| (n, printable(name))).collect();
        let one_file =
            only_file(run, shown.iter().map(|n| events[*n].place(run.program))).is_some();
        Told {
            run,
            events,
            origins,
            starred,
            worded,
            shown,
            through: HashMap::new(),
            one_file,
            threads,
        }
    }

    /// The witness on at most so many lines, unless the look asks for all steps.
    fn on_page(mut self, look: &Look<'_>, lines: usize) -> String {
        let mut rows = lines;
        loop {
            let text = self.story(look, rows).text(look);
            let excess = text.lines().count().saturating_sub(lines);
            if look.all_steps || excess == 0 || rows <= FEWEST_ROWS {
                return text;
            }
            if self.join() {
                continue;
            }
            // A row takes one line or more.
            rows = rows.saturating_sub(excess.div_ceil(2)).max(FEWEST_ROWS);
        }
    }

    /// Shows updates that follow right after their stores with these. Returns whether that saves a row.
    fn join(&mut self) -> bool {
        let mut through = fold::through(self.events, &self.shown, self.starred);
        // A row for several stores stays by itself.
        through.retain(|_, store| self.worded.in_words(*store).is_none());
        self.shown.retain(|n| !through.contains_key(n));
        self.through.extend(&through);
        !through.is_empty()
    }

    /// The story in at most so many rows.
    fn story(&self, look: &Look<'_>, most: usize) -> Story {
        let Told { run, events, origins, starred, worded, shown, through, .. } = self;
        let parts = match look.all_steps {
            true => shown.iter().map(|n| Part::Event(*n)).collect(),
            false => fold::folded(events, shown, starred, through, most),
        };
        let stores: BTreeSet<usize> = through.values().copied().collect();
        let mut seen = BTreeSet::new();
        // Only the events that are shown become rows, because there can be a million events.
        let (mut rows, mut mentioned) = (Vec::new(), BTreeSet::new());
        for part in &parts {
            let Part::Event(n) = *part else {
                rows.extend(folded_row(run, events, part));
                continue;
            };
            let event = &events[n];
            let at = event.place(run.program);
            let line = run.program.loc(at).map(|loc| (loc.file, loc.line));
            let fresh = !matches!(event.deed, Deed::Update { .. }) && seen.insert(line);
            let source = look.sources.line(run.program, at).filter(|_| fresh);
            let mut what = match &event.deed {
                Deed::Buffer { cell, .. } if stores.contains(&n) => {
                    format!("writes {cell} (to memory)")
                }
                _ => worded.what(n, event),
            };
            legend::mentioned(event, &what, &mut mentioned);
            if look.calls {
                what.push_str(&chain(run.program, event));
            }
            rows.push(Row {
                number: Some(n + 1),
                starred: starred.contains(&n),
                thread: event.number,
                place: place(run, at, self.one_file),
                what: printable(&what),
                ink: ink(&event.deed),
                source: source.unwrap_or_default(),
            });
        }
        let folded = parts.iter().filter(|part| !matches!(part, Part::Event(_)));
        Story {
            last_number: rows.iter().rev().find_map(|row| row.number).unwrap_or(1),
            rows,
            legend: legend::text(run, origins, &mentioned),
            threads: self.threads.clone(),
            place_heading: if self.one_file { "line" } else { "place" },
            events: shown.len(),
            folded: folded.map(|part| part.events().len()).sum(),
        }
    }
}

impl Story {
    fn text(&self, look: &Look<'_>) -> String {
        let mut out = columns::text(look, self).unwrap_or_else(|| list::text(look, self));
        if self.folded > 0 {
            let (are, them) = if self.folded == 1 { ("is", "it") } else { ("are", "them") };
            let (folded, all) = (grouped(self.folded as u64), several(self.events as u64, "step"));
            let words = format!("{folded} of {all} {are} folded; --all-steps shows {them}");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    {}", paint(look.colour, Ink::Faint, &words));
        }
        if !self.legend.is_empty() {
            out.push('\n');
            out.push_str(&self.legend);
        }
        out
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
