//! Counts the results of the executions of a search: the summary while it grows.

use crate::failure::FailureSite;
use crate::ignored::IgnoredPlaces;
use crate::options::Options;
use crate::schedule::Step;
use crate::summary::{BoundKind, BoundMet, Stopped, Summary};
use raddle_ir::{LocId, Program, Quantifier};
use raddle_machine::FailureKind;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The end of one execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Complete,
    /// A thread was stopped by `assume`, or spins although the value that it waits for is in memory now.
    Blocked,
    /// A bound stopped a thread at this position.
    Cut(BoundKind, LocId),
    /// The threads that have not ended run for ever without a change, in loops without a way out, or join
    /// such a thread. The position is that of the first such loop.
    Endless(LocId),
    Failed(Vec<FailureSite>),
}

/// The executions that end with the same final values.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ending {
    count: u64,
    /// The schedule of the first of them, if it may be needed.
    schedule: Vec<Step>,
}

/// The counts so far. Schedules are built only where one is kept. One that was read has the counts only: it can be
/// [added](Tally::absorb) to another one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tally {
    pub summary: Summary,
    #[serde(skip)]
    keep_going: bool,
    #[serde(skip)]
    ignored: IgnoredPlaces,
    /// Whether an error was found that the program has and that is reported.
    has_error: bool,
    /// Whether final states are collected, and whether one can violate the final condition.
    #[serde(skip)]
    observes: bool,
    #[serde(skip)]
    judges: bool,
    states: FxHashMap<Vec<u64>, Ending>,
    /// Scratch buffer.
    #[serde(skip)]
    state: Vec<u64>,
}

impl Tally {
    pub fn new(program: &Program, options: &Options) -> Tally {
        Tally {
            summary: Summary::default(),
            keep_going: options.keep_going,
            ignored: options.ignored.within(program),
            has_error: false,
            observes: !program.observables.is_empty() || program.condition.is_some(),
            judges: program.condition.as_ref().is_some_and(|c| c.quantifier != Quantifier::Exists),
            states: FxHashMap::default(),
            state: Vec::new(),
        }
    }

    /// The same without an execution.
    #[must_use]
    pub fn nothing(&self) -> Tally {
        Tally {
            summary: Summary::default(),
            ignored: self.ignored.clone(),
            has_error: false,
            states: FxHashMap::default(),
            state: Vec::new(),
            ..*self
        }
    }

    /// Counts an execution. `state` writes the final values of the observables into an empty vector.
    pub fn count(
        &mut self,
        end: End,
        state: impl FnOnce(&mut Vec<u64>),
        schedule: impl Fn() -> Vec<Step>,
    ) {
        match end {
            End::Complete => self.complete(state, schedule),
            End::Blocked => self.summary.blocked += 1,
            End::Cut(kind, loc) => {
                self.summary.cut += 1;
                self.bound(kind, loc);
            }
            End::Endless(loc) => {
                self.summary.executions += 1;
                self.bound(BoundKind::Endless, loc);
            }
            End::Failed(failures) => {
                self.summary.executions += 1;
                self.summary.cut_by_ignored += u64::from(self.ignored.cut(&failures));
                for (n, site) in failures.iter().enumerate() {
                    // An execution counts once for each error, even if several threads show it.
                    if !failures[..n].iter().any(|earlier| earlier.is_same_error(site)) {
                        self.failed(site.clone(), &schedule);
                    }
                }
            }
        }
    }

    /// Counts an execution in which every thread has ended.
    #[inline]
    pub fn complete(
        &mut self,
        state: impl FnOnce(&mut Vec<u64>),
        schedule: impl FnOnce() -> Vec<Step>,
    ) {
        self.summary.executions += 1;
        if !self.observes {
            return;
        }
        self.state.clear();
        state(&mut self.state);
        match self.states.get_mut(self.state.as_slice()) {
            Some(ending) => ending.count += 1,
            None => {
                let schedule = if self.judges { schedule() } else { Vec::new() };
                self.states.insert(self.state.clone(), Ending { count: 1, schedule });
            }
        }
    }

    /// Counts an execution that met a bound.
    pub fn bound(&mut self, kind: BoundKind, loc: LocId) {
        let bounds = &mut self.summary.bounds;
        match bounds.iter_mut().find(|bound| bound.kind == kind && bound.loc == loc) {
            Some(bound) => bound.count += 1,
            None => bounds.push(BoundMet { kind, loc, count: 1 }),
        }
    }

    /// Counts an execution that shows an error.
    pub fn failed(&mut self, site: FailureSite, schedule: impl FnOnce() -> Vec<Step>) {
        let mut known = self.summary.failures.iter_mut();
        match known.find(|failure| failure.is_same_error(&site)) {
            Some(failure) => failure.count += 1,
            None => {
                // An unsupported operation is not an error: another execution may show one.
                self.has_error |=
                    site.kind != FailureKind::Unsupported && self.ignored.reason(&site).is_none();
                self.summary.failures.push(site.shown_by(1, schedule()));
            }
        }
    }

    /// Adds the counts of a part of the search that comes after this one.
    pub fn absorb(&mut self, later: Tally) {
        let Tally { summary: found, has_error, states, .. } = later;
        let summary = &mut self.summary;
        summary.executions += found.executions;
        summary.blocked += found.blocked;
        summary.redundant += found.redundant;
        summary.cut += found.cut;
        summary.cut_by_ignored += found.cut_by_ignored;
        summary.events += found.events;
        summary.longest = summary.longest.max(found.longest);
        self.has_error |= has_error;
        for failure in found.failures {
            match summary.failures.iter_mut().find(|known| known.is_same_error(&failure)) {
                Some(known) => known.count += failure.count,
                None => summary.failures.push(failure),
            }
        }
        for bound in found.bounds {
            let mut known = summary.bounds.iter_mut();
            match known.find(|known| known.kind == bound.kind && known.loc == bound.loc) {
                Some(known) => known.count += bound.count,
                None => summary.bounds.push(bound),
            }
        }
        for (state, ending) in states {
            match self.states.get_mut(&state) {
                Some(known) => known.count += ending.count,
                None => {
                    self.states.insert(state, ending);
                }
            }
        }
    }

    /// Adds the errors of a part of the search whose executions are not counted.
    pub fn remember(&mut self, part: &Tally) {
        self.has_error |= part.has_error;
        for failure in &part.summary.failures {
            if !self.summary.failures.iter().any(|known| known.is_same_error(failure)) {
                self.summary.failures.push(failure.clone());
            }
        }
    }

    /// The number of executions of any kind so far.
    pub fn explored(&self) -> u64 {
        let Summary { executions, blocked, redundant, cut, .. } = &self.summary;
        executions + blocked + redundant + cut
    }

    /// Whether the result is final, so that the search can stop.
    pub fn is_decided(&self) -> bool {
        !self.keep_going && self.has_error
    }

    /// The summary, with final states in order.
    pub fn finish(mut self, stopped: Option<Stopped>) -> Summary {
        self.summary.stopped = if self.is_decided() { Some(Stopped::Failure) } else { stopped };
        let mut states: Vec<(Vec<u64>, Ending)> = self.states.into_iter().collect();
        states.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (values, ending) in states {
            self.summary.states.push((values, ending.count));
            if self.judges {
                self.summary.witnesses.push(ending.schedule);
            }
        }
        self.summary
    }
}
