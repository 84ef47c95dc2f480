//! The answers of `check`, `robust` and `reach` for a page.

use super::story::Tale;
use super::{Answer, TitledWitness};
use crate::picture::{Scene, dot};
use crate::source::Sources;
use crate::witness::Worded;
use crate::{Run, Subject, buffer, printable, reach as reaching, robust as robustness, value};
use raddle_analysis::cycle::Node;
use raddle_analysis::reach::{ReachResult, Reached};
use raddle_analysis::robust::{CycleWitness, Robustness};
use raddle_analysis::why::upto_failure;
use raddle_analysis::{
    Cause, CheckResult, Offence, Relations, Verdict, Violation, Witness, relations,
};
use raddle_engine::Options;
use raddle_ir::Verified;
use std::collections::BTreeSet;

/// The answer of `raddle check` for one model.
pub fn check(run: &Run<'_>, sources: &Sources, result: &CheckResult) -> Answer {
    let (verdict, tone) = match result.verdict {
        Verdict::Safe => ("safe", "good"),
        Verdict::SafeBounded => ("safe up to bounds", "good"),
        Verdict::Violation => ("violation", "bad"),
        Verdict::Unknown => ("unknown", "unsure"),
    };
    let mut answer = Answer {
        file: printable(run.file),
        model: buffer::model(run.options),
        verdict: verdict.to_owned(),
        tone,
        notes: crate::check::notes(run, sources, result),
        ..Answer::default()
    };
    for violation in &result.violations {
        answer.add_violation(run, violation);
    }
    answer
}

/// The answer of `raddle robust` for one model.
pub fn robust(file: &str, program: &Verified, answer: &Robustness) -> Answer {
    let (verdict, tone) = match answer.robust {
        Some(true) => ("robust", "good"),
        Some(false) => ("not robust", "bad"),
        None => ("unknown", "unsure"),
    };
    let subject = Subject { file, program };
    let mut page = Answer {
        file: printable(file),
        model: answer.model.name().to_owned(),
        verdict: verdict.to_owned(),
        tone,
        notes: robustness::notes(&subject, answer),
        ..Answer::default()
    };
    if let Some(witness) = &answer.witness {
        let options = Options::new(answer.model);
        page.add_cycle(&Run { file, program, options: &options }, witness);
    }
    page
}

/// The answer of `raddle reach`.
pub fn reach(run: &Run<'_>, result: &ReachResult) -> Answer {
    let (verdict, tone) = match result.reachable {
        Some(true) => ("reachable", "bad"),
        Some(false) => ("unreachable", "good"),
        None => ("unknown", "unsure"),
    };
    let reason = reaching::reason(result).map(|reason| printable(&reason));
    let mut answer = Answer {
        file: printable(run.file),
        model: run.options.model.name().to_owned(),
        verdict: verdict.to_owned(),
        tone,
        notes: reason.into_iter().chain([reaching::effort(result)]).collect(),
        ..Answer::default()
    };
    if let Some(Reached { failure, witness }) = &result.reached {
        let title = match failure {
            Some(failure) => reaching::failed(run, failure),
            None => reaching::SHORTEST.to_owned(),
        };
        answer.add(run, witness, Found { title, ..Found::default() });
    }
    answer
}

/// What is found, beside its witness.
#[derive(Default)]
struct Found {
    title: String,
    why: Vec<String>,
    starred: BTreeSet<Node>,
    /// The number of events to show; 0 for all.
    most: usize,
    /// The cycle, if it is known already.
    cycle: Vec<raddle_analysis::cycle::Link>,
}

impl Answer {
    fn add_violation(&mut self, run: &Run<'_>, violation: &Violation) {
        let witness = &violation.witness;
        let mut why = Vec::new();
        if let Offence::Condition(outcome) = &violation.offence {
            let state = value::state_line(run.program, &outcome.values);
            why.push(format!("A final state: {state}"));
        }
        why.extend(witness.why.as_ref().map(|why| printable(&why.words)));
        let causes = witness.why.as_ref().map_or(&[][..], |why| &why.causes);
        let found = Found {
            title: crate::check::violation_phrase(run, violation),
            why,
            starred: causes.iter().flat_map(Cause::events).collect(),
            most: upto_failure(&witness.events, &violation.offence).len(),
            cycle: Vec::new(),
        };
        self.add(run, witness, found);
    }

    fn add_cycle(&mut self, run: &Run<'_>, witness: &CycleWitness) {
        let found = Found {
            title: "an execution that sequential consistency does not have".to_owned(),
            why: robustness::reason(&run.subject(), witness),
            starred: witness.cycle.iter().map(|link| link.event).collect(),
            cycle: witness.cycle.clone(),
            most: 0,
        };
        self.add(run, &witness.witness, found);
    }

    fn add(&mut self, run: &Run<'_>, witness: &Witness, found: Found) {
        let count = if found.most > 0 { found.most } else { witness.events.len() };
        let events = &witness.events[..count];
        let relations = relations(run.program, run.options, witness);
        let relations = relations.map(|relations| first(relations, count, found.cycle));
        let worded = Worded::of(run, events);
        let shown = worded.shown();
        let picture = relations
            .as_ref()
            .map(|relations| Scene { events, relations, shown, starred: &found.starred }.picture());
        if let Some(picture) = &picture {
            let title = format!("{} under {}: {}", printable(run.file), self.model, found.title);
            self.dots.push(dot(run, &title, events, picture));
        }
        let tale = Tale {
            run,
            events,
            relations: relations.as_ref(),
            worded: &worded,
            starred: &found.starred,
        };
        let story = tale.story(&mut self.lines);
        self.findings.push(TitledWitness { title: found.title, why: found.why, story, picture });
    }
}

/// The relations between the first events, with a cycle if that is known.
fn first(
    mut relations: Relations,
    count: usize,
    cycle: Vec<raddle_analysis::cycle::Link>,
) -> Relations {
    if !cycle.is_empty() {
        relations.cycle = cycle;
    }
    relations.edges.retain(|(from, to, _)| *from < count && *to < count);
    if relations.cycle.iter().any(|link| link.event >= count) {
        relations.cycle.clear();
    }
    relations
}
