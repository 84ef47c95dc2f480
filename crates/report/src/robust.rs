//! Whether a program is robust, as text and as JSON.

use crate::bounds::{self, Bound};
use crate::paint::{Ink, paint};
use crate::{Subject, counted, json, printable, story, written};
use raddle_analysis::robust::{By, CycleWitness, Gap, Robustness, traces};
use raddle_engine::{Deed, Model, ReplayEvent, Step};
use serde::Serialize;
use std::fmt::{Result, Write};

impl Subject<'_> {
    /// `f.c:3`, or an empty string if the position is not known.
    fn at(&self, event: &ReplayEvent) -> String {
        self.program
            .short_place(event.place(self.program))
            .map_or(String::new(), |place| format!(" at {place}"))
    }

    /// `P0 writes x = 1 (buffered) at f.c:3`
    fn told(&self, event: &ReplayEvent) -> String {
        format!("{} {}{}", event.thread, event.what(), self.at(event))
    }
}

pub fn text(subject: &Subject<'_>, colour: bool, answer: &Robustness) -> String {
    let (ink, word) = match answer.robust {
        Some(true) => (Ink::Good, "robust"),
        Some(false) => (Ink::Bad, "not robust"),
        None => (Ink::Reason, "unknown"),
    };
    let file = printable(subject.file);
    let head = format!("{file} under {}: {}\n", answer.model, paint(colour, ink, word));
    let rest = written(|out| write_answer(out, subject, answer));
    rest.lines().fold(head, |text, line| text + &printable(line) + "\n")
}

fn write_answer(out: &mut String, subject: &Subject<'_>, answer: &Robustness) -> Result {
    if let Some(witness) = &answer.witness {
        write_witness(out, subject, witness)?;
    }
    write_notes(out, subject, answer)
}

/// Writes what there is to say beside the verdict and the witness.
fn write_notes(out: &mut String, subject: &Subject<'_>, answer: &Robustness) -> Result {
    for gap in answer.gaps.iter().filter(|_| answer.robust.is_none()) {
        writeln!(out, "  {}", gap_phrase(*gap))?;
    }
    // Bounds matter only if nothing was found.
    let searches = answer.searches.iter().filter(|_| answer.robust.is_none());
    for met in searches.flat_map(|(_, summary)| &summary.bounds) {
        writeln!(out, "  bound met: {}", bounds::told(subject.program, met))?;
    }
    let counts = answer
        .searches
        .iter()
        .map(|(model, summary)| format!("{} under {model}", counted(traces(summary), "trace")));
    let counts: Vec<String> = counts.collect();
    let (by, seconds) = (answer.by.name(), answer.elapsed.as_secs_f64());
    let counts = counts.join(", ");
    let space = if counts.is_empty() { "" } else { " " };
    writeln!(out, "  {counts}{space}(by {by}) {seconds:.3} s")
}

/// The remarks beside the verdict and the witness, in lines.
pub(crate) fn notes(subject: &Subject<'_>, answer: &Robustness) -> Vec<String> {
    let notes = written(|out| write_notes(out, subject, answer));
    notes.lines().map(|line| printable(line.trim())).collect()
}

/// The reason in words: the store and the access that overtakes it, the cycle, and where a fence would cut it.
pub(crate) fn reason(subject: &Subject<'_>, witness: &CycleWitness) -> Vec<String> {
    let told = |n: usize| subject.told(&witness.witness.events[n]);
    let links = witness.cycle.iter();
    let links: Vec<String> = links
        .map(|link| format!("{}, {}", told(link.event), edge_phrase(link.edge.name())))
        .collect();
    let reason = [
        format!(
            "{} is delayed, and {} overtakes it",
            told(witness.store),
            told(witness.overtaken_by)
        ),
        format!("a cycle that sequential consistency forbids: {} the first again", links.join(" ")),
        cut_phrase(subject, witness),
    ];
    reason.iter().map(|line| printable(line)).collect()
}

fn write_witness(out: &mut String, subject: &Subject<'_>, witness: &CycleWitness) -> Result {
    let [store, later] = [witness.store, witness.overtaken_by].map(|n| &witness.witness.events[n]);
    writeln!(out, "  delayed: {}", subject.told(store))?;
    writeln!(out, "  overtaken by: {}", subject.told(later))?;
    writeln!(out, "  a cycle that sequential consistency forbids:")?;
    for link in &witness.cycle {
        let event = &witness.witness.events[link.event];
        writeln!(out, "    {}, {}", subject.told(event), edge_phrase(link.edge.name()))?;
    }
    writeln!(out, "    the first again")?;
    writeln!(out, "  {}", cut_phrase(subject, witness))
}

/// Where a fence would break the cycle.
fn cut_phrase(subject: &Subject<'_>, witness: &CycleWitness) -> String {
    let [store, later] = [witness.store, witness.overtaken_by].map(|n| &witness.witness.events[n]);
    let kind = match later.deed {
        // Under PSO, only a fence orders stores.
        Deed::Buffer { .. } => "one that orders stores is enough",
        _ => "one that drains the buffer",
    };
    let place = |event: &ReplayEvent| {
        subject.program.short_place(event.place(subject.program)).unwrap_or_default()
    };
    let between = match (place(store), place(later)) {
        // Both on one line, or the same access in two iterations of a loop.
        (after, before) if after == before => format!("the two accesses at {after}"),
        (after, before) => format!("{after} and {before}"),
    };
    format!("a fence cuts it: in {} between {between}, {kind}", store.thread)
}

fn edge_phrase(edge: &str) -> &'static str {
    match edge {
        "po" => "in program order (po) before",
        "rf" => "read (rf) by",
        "co" => "overwritten (co) by",
        "fr" => "too early to see (fr)",
        _ => "which lets go on",
    }
}

fn gap_phrase(gap: Gap) -> String {
    match gap {
        Gap::Stopped(stopped) => format!("stopped early: {}", stopped.phrase()),
        Gap::Bounds => "executions were cut: what lies behind a bound was not seen".to_owned(),
        Gap::Inputs => format!("{}: nothing was found for those", bounds::INPUTS),
        Gap::Unsupported => "something that cannot be run was reached".to_owned(),
        Gap::Mixed => {
            "the monitor cannot judge some overlapping accesses of different sizes; --by cycles can"
                .to_owned()
        }
        Gap::NoAttacks => {
            let models = Model::names(By::Attacks.models());
            format!("attacks are for {models}; --by cycles knows every model")
        }
        Gap::Unconfirmed => "a defect of raddle: a witness did not replay".to_owned(),
    }
}

/// The answer as JSON.
#[derive(Serialize, Debug)]
pub struct Answer<'a> {
    file: &'a str,
    model: &'static str,
    by: &'static str,
    /// `null` if unknown.
    robust: Option<bool>,
    /// Why it is unknown.
    unknown: Vec<&'static str>,
    /// The executions of all searches.
    executions: u64,
    /// Traces by model.
    searches: Vec<Searched>,
    /// Bounds that were met.
    bounds: Vec<Bound>,
    witness: Option<Shown<'a>>,
    seconds: f64,
}

#[derive(Serialize, Debug)]
struct Searched {
    model: &'static str,
    traces: u64,
    events: u64,
}

/// The witness of a program that is not robust.
#[derive(Serialize, Debug)]
struct Shown<'a> {
    store: story::Event,
    overtaken_by: story::Event,
    cycle: Vec<Linked>,
    /// A place where a fence would break the cycle.
    fence: Fence,
    schedule: &'a [Step],
    /// The events along the schedule.
    events: story::Events<'a>,
}

#[derive(Serialize, Debug)]
struct Linked {
    #[serde(flatten)]
    event: story::Event,
    /// Why it comes before the next one: po, rf, co, fr or sync.
    edge: &'static str,
}

#[derive(Serialize, Debug)]
struct Fence {
    thread: String,
    after: json::SourceLine,
    before: json::SourceLine,
}

pub fn json<'a>(subject: &Subject<'a>, answer: &'a Robustness) -> Answer<'a> {
    let searched = answer.searches.iter().map(|(model, summary)| Searched {
        model: model.name(),
        traces: traces(summary),
        events: summary.events,
    });
    let unknown = answer.gaps.iter().filter(|_| answer.robust.is_none());
    let searches = answer.searches.iter();
    let met = searches.flat_map(|(_, summary)| bounds::listed(subject, &summary.bounds));
    Answer {
        file: subject.file,
        model: answer.model.name(),
        by: answer.by.name(),
        robust: answer.robust,
        unknown: unknown.map(|gap| gap.name()).collect(),
        executions: answer.executions(),
        searches: searched.collect(),
        bounds: met.collect(),
        witness: answer.witness.as_ref().map(|witness| shown(subject, witness)),
        seconds: answer.elapsed.as_secs_f64(),
    }
}

fn shown<'a>(subject: &Subject<'a>, witness: &'a CycleWitness) -> Shown<'a> {
    let events = &witness.witness.events;
    let event = |n: usize| story::told(subject, &events[n]);
    let place = |n: usize| subject.line(events[n].place(subject.program));
    let cycle = witness.cycle.iter();
    let linked = cycle.map(|link| Linked { event: event(link.event), edge: link.edge.name() });
    Shown {
        store: event(witness.store),
        overtaken_by: event(witness.overtaken_by),
        cycle: linked.collect(),
        fence: Fence {
            thread: events[witness.store].thread.clone(),
            after: place(witness.store),
            before: place(witness.overtaken_by),
        },
        schedule: &witness.witness.schedule,
        events: story::Events { subject: *subject, events },
    }
}
