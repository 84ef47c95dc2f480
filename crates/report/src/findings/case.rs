//! The results of commands as cases.

use super::rules::{self, Rule};
use super::{Case, Finding, Fix, Outcome, flow};
use crate::fence::Asked;
use crate::html::why;
use crate::json::SourceLine;
use crate::source::Sources;
use crate::{Run, condition, printable, value};
use raddle_analysis::fence::{Fence, Fences, Outcome as FenceOutcome};
use raddle_analysis::reach::{ReachResult, Reached};
use raddle_analysis::robust::Robustness;
use raddle_analysis::robust::witness::CycleWitness;
use raddle_analysis::why::upto_failure;
use raddle_analysis::witness::{ExpectedEnd, Witness};
use raddle_analysis::{Cause, CheckResult, Offence, Violation};
use raddle_engine::{FailureSite, ReplayEvent};
use raddle_ir::{LocId, Mnemonic, Program};
use std::collections::BTreeMap;

impl Case {
    /// A program that could not be read, with the message about it.
    pub fn unread(file: &str, command: &'static str, message: String) -> Case {
        Case {
            file: file.to_owned(),
            test: None,
            command,
            model: None,
            outcome: Outcome::Unread,
            text: message,
            seconds: 0.0,
            findings: Vec::new(),
        }
    }

    /// A program whose turn did not come.
    pub fn skipped(file: &str, command: &'static str) -> Case {
        let outcome = Outcome::Skipped;
        Case { outcome, ..Case::unread(file, command, "interrupted before its turn".to_owned()) }
    }
}

/// Makes cases of the results for one program.
#[derive(Debug)]
pub struct Cases<'a> {
    pub run: &'a Run<'a>,
    pub command: &'static str,
    pub sources: &'a Sources,
}

impl Cases<'_> {
    fn case(&self, outcome: Outcome, text: String, seconds: f64, findings: Vec<Finding>) -> Case {
        Case {
            file: self.run.file.to_owned(),
            test: None,
            command: self.command,
            model: Some(self.run.options.model.name()),
            outcome,
            text,
            seconds,
            findings,
        }
    }

    /// A verdict.
    pub fn check(&self, result: &CheckResult, outcome: Outcome, text: String) -> Case {
        let known = &self.run.options.ignored.known;
        let violations = result.violations.iter().map(|found| (None, found));
        let suppressed = result.suppressed.iter().map(|(number, found)| {
            (Some(known.get(*number).map_or(String::new(), |known| known.reason.clone())), found)
        });
        let all: Vec<_> = violations.chain(suppressed).collect();
        let functions = functions_if(self.run.program, !all.is_empty());
        let findings = all.into_iter().filter_map(|(accepted, found)| {
            Some(Finding { accepted, ..self.violation(found, &functions)? })
        });
        let findings = findings.collect();
        self.case(outcome, text, result.elapsed.as_secs_f64(), findings)
    }

    /// A verdict about a litmus test.
    pub fn litmus(&self, result: &CheckResult, outcome: Outcome, text: String) -> Case {
        let test = Some(self.run.program.name.clone());
        Case { test, ..self.check(result, outcome, text) }
    }

    /// An answer about reachability.
    pub fn reach(&self, result: &ReachResult, outcome: Outcome, text: String) -> Case {
        let functions = functions_if(self.run.program, result.reached.is_some());
        let reached = result.reached.as_ref().and_then(|reached| self.reached(reached, &functions));
        self.case(outcome, text, result.effort.elapsed.as_secs_f64(), Vec::from_iter(reached))
    }

    /// An answer about robustness.
    pub fn robust(&self, answer: &Robustness, outcome: Outcome, text: String) -> Case {
        let functions = functions_if(self.run.program, answer.witness.is_some());
        let witness = answer.witness.as_ref();
        let finding = witness.and_then(|witness| self.delayed(witness, &functions));
        self.case(outcome, text, answer.elapsed.as_secs_f64(), Vec::from_iter(finding))
    }

    /// The fences that a program needs, each with its edit.
    pub fn fences(&self, asked: &Asked<'_>, result: &Fences, text: String) -> Case {
        let (outcome, fences) = match &result.outcome {
            FenceOutcome::Fences(fences) if fences.is_empty() => (Outcome::Passed, &fences[..]),
            FenceOutcome::Fences(fences) => (Outcome::Failed, &fences[..]),
            FenceOutcome::Hopeless(_) => (Outcome::Failed, &[][..]),
            FenceOutcome::Unknown(_) => (Outcome::Unknown, &[][..]),
        };
        let numbered = fences.iter().enumerate();
        let findings = numbered.filter_map(|(number, fence)| self.missing(asked, number, fence));
        self.case(outcome, text, result.elapsed.as_secs_f64(), findings.collect())
    }

    fn missing(&self, asked: &Asked<'_>, number: usize, fence: &Fence) -> Option<Finding> {
        let program = self.run.program;
        let place = &fence.place;
        let known = |loc: &LocId| program.loc(*loc).is_some();
        let loc = [place.before, place.after].into_iter().find(known).unwrap_or(LocId::NONE);
        let name = program.funcs[place.point.func].name.clone();
        let kind = fence.kind.mnemonic();
        let message = format!("a fence is needed before this: {kind}");
        let finding = self.finding(rules::of(rules::NEEDS_FENCE)?, loc, message, &Functions::new());
        let after = Some(place.after).filter(|after| known(after) && *after != loc);
        let after = after.map(|after| (self.place(after), "after this".to_owned()));
        let files = asked.written.replacements(number);
        let files = files.into_iter().map(|(path, parts)| (path.display().to_string(), parts));
        let files: Vec<_> = files.collect();
        Some(Finding {
            why: Some(why(asked, fence, true)),
            function: Some(printable(&name)),
            related: Vec::from_iter(after),
            fix: (!files.is_empty()).then(|| Fix { words: format!("Insert {kind}"), files }),
            ..finding
        })
    }

    fn place(&self, loc: LocId) -> SourceLine {
        self.run.subject().line(loc)
    }

    /// A finding at a position, without its witness.
    fn finding(
        &self,
        rule: &'static Rule,
        loc: LocId,
        message: String,
        functions: &Functions,
    ) -> Finding {
        Finding {
            rule,
            message: printable(&message),
            why: None,
            place: self.place(loc),
            function: functions.get(&loc).map(|name| printable(name)),
            line_text: self.sources.line(self.run.program, loc),
            related: Vec::new(),
            flow: Vec::new(),
            count: None,
            accepted: None,
            fix: None,
        }
    }

    fn violation(&self, found: &Violation, functions: &Functions) -> Option<Finding> {
        let finding = match &found.offence {
            Offence::Failed(failure) => self.failed(failure, functions)?,
            Offence::Condition(outcome) => {
                let state = value::state_line(self.run.program, &outcome.values);
                let spelled = condition::spelled(self.run.program);
                let message = format!("{spelled} fails: the final state {state}");
                let rule = rules::of(ExpectedEnd::Condition.name())?;
                self.finding(rule, LocId::NONE, message, functions)
            }
        };
        let events = upto_failure(&found.witness.events, &found.offence);
        let told = self.told(finding, &found.witness, events);
        Some(Finding { count: Some(found.count), ..told })
    }

    fn failed(&self, site: &FailureSite, functions: &Functions) -> Option<Finding> {
        let kind = site.kind.name();
        let message = match site.thread.is_empty() || !site.waiters.is_empty() {
            true => format!("{kind}: {}", site.message),
            false => format!("{kind}: {} (thread {})", site.message, site.thread),
        };
        let finding = self.finding(rules::of(site.kind.name())?, site.loc, message, functions);
        let other = (site.against != LocId::NONE)
            .then(|| (self.place(site.against), "the other access".to_owned()));
        Some(Finding { related: Vec::from_iter(other), ..finding })
    }

    fn reached(&self, reached: &Reached, functions: &Functions) -> Option<Finding> {
        let finding = match &reached.failure {
            Some(site) => self.failed(site, functions)?,
            None => {
                let last = reached
                    .witness
                    .events
                    .last()
                    .map_or(LocId::NONE, |event| event.place(self.run.program));
                let rule = rules::of(ExpectedEnd::Goal.name())?;
                self.finding(rule, last, rule.short.to_owned(), functions)
            }
        };
        Some(self.told(finding, &reached.witness, &reached.witness.events))
    }

    /// A finding with the events of its witness, and the places that its cause refers to.
    fn told(&self, finding: Finding, witness: &Witness, events: &[ReplayEvent]) -> Finding {
        let causes: &[Cause] = witness.why.as_ref().map_or(&[], |why| &why.causes);
        let named = causes.iter().flat_map(Cause::events);
        let mut related = finding.related;
        for event in named.filter_map(|n| events.get(n)) {
            let place = self.place(event.place(self.run.program));
            let words = printable(&format!("{} {}", event.thread, event.what()));
            if self.run.program.loc(event.place(self.run.program)).is_some()
                && !related.contains(&(place.clone(), words.clone()))
            {
                related.push((place, words));
            }
        }
        Finding {
            why: witness.why.as_ref().map(|why| printable(&why.words)),
            flow: flow::moments(self.run, events, causes),
            related,
            ..finding
        }
    }

    /// A store that is delayed, and the access that overtakes it.
    fn delayed(&self, found: &CycleWitness, functions: &Functions) -> Option<Finding> {
        let events = &found.witness.events;
        let (store, later) = (&events[found.store], &events[found.overtaken_by]);
        let told = |event: &ReplayEvent| format!("{} {}", event.thread, event.what());
        let message = format!(
            "under {} this store can be delayed past a later access of its thread, and other threads can tell: \
             {}; {}",
            self.run.options.model.name(),
            told(store),
            told(later)
        );
        let finding = self.finding(rules::of("not-robust")?, store.loc, message, functions);
        let cycle = found.cycle.iter().map(|link| link.event);
        let related = cycle.clone().skip(1).map(|n| &events[n]);
        let related =
            related.filter(|event| self.run.program.loc(event.place(self.run.program)).is_some());
        Some(Finding {
            related: related
                .map(|event| (self.place(event.place(self.run.program)), printable(&told(event))))
                .collect(),
            flow: flow::of_interest(self.run, events, cycle.collect()),
            ..finding
        })
    }
}

/// The function of each position that an instruction has.
type Functions = BTreeMap<LocId, String>;

/// Computed only if something is found.
fn functions_if(program: &Program, needed: bool) -> Functions {
    let mut functions = Functions::new();
    for function in program.funcs.values().filter(|_| needed) {
        for block in function.blocks.values() {
            let locs = block.insts.iter().map(|inst| inst.loc).chain([block.term.loc]);
            for loc in locs.filter(|loc| *loc != LocId::NONE) {
                functions.entry(loc).or_insert_with(|| function.name.clone());
            }
        }
    }
    functions
}
