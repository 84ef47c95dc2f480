//! How far a command has got: numbers that its searches write and a display reads.
//!
//! Every number is an atomic of its own, so a search never waits for a display. The numbers of one moment need not
//! belong together exactly; when a search has ended they are those of its [`Summary`].
//!
//! A search reports once in about [`PAUSE`]. The only work in between is the comparison with the number of executions
//! at which the next report is due ([`Reporter::is_due`]). It takes the place of the comparison with the limit on
//! executions, so that a search without a display is as fast as before.

use crate::estimate::Estimate;
use crate::model::Model;
use crate::summary::Summary;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The time between two reports that a search aims at.
const PAUSE: Duration = Duration::from_millis(20);

/// The phase that a command is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    #[default]
    Loading,
    Searching(Model),
    /// Visiting states instead of executions.
    SearchingStates,
    Replaying,
    /// Finding out which edits of the source are fences, with a compiler.
    Editing,
    /// Choosing the next set of fences to judge.
    Choosing,
}

impl Phase {
    /// The phases that have no model, by their code.
    const PLAIN: [Phase; 5] =
        [Phase::Loading, Phase::SearchingStates, Phase::Replaying, Phase::Editing, Phase::Choosing];

    fn code(self) -> u64 {
        let code = match self {
            Phase::Searching(model) => {
                let number = Model::ALL.iter().position(|other| *other == model);
                Phase::PLAIN.len() + number.unwrap_or(0)
            }
            plain => Phase::PLAIN.iter().position(|other| *other == plain).unwrap_or(0),
        };
        code as u64
    }

    fn decoded(code: u64) -> Phase {
        let code = code as usize;
        let model = || Model::ALL.get(code.checked_sub(Phase::PLAIN.len())?).copied();
        let plain = Phase::PLAIN.get(code).copied();
        plain.or_else(|| model().map(Phase::Searching)).unwrap_or_default()
    }
}

/// The numbers of one moment.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Snapshot {
    pub phase: Phase,
    /// The number of searches that were started.
    pub searches: u64,
    /// The time since the current search was started, or since the command was if there was none.
    pub elapsed: Duration,
    /// Of the current search, as in [`Summary`].
    pub executions: u64,
    pub blocked: u64,
    pub redundant: u64,
    pub cut: u64,
    pub events: u64,
    /// Of a search of states: those that were found, those of the current level, and the number of that level.
    pub states: u64,
    pub frontier: u64,
    pub level: u64,
    /// The number of programs that `fence` has judged; 0 for other commands.
    pub judged: u64,
    /// The number of clauses that `fence` has learned.
    pub clauses: u64,
    /// The least number of fences that the program needs, as far as it is known.
    pub at_least: u64,
    /// The number of fences of a set that suffices, if one is known.
    pub enough: Option<u64>,
    /// The size of store buffers, if it is raised until it makes no difference.
    pub bound: Option<u64>,
    /// How many executions the current search is going to visit.
    pub estimate: Option<Estimate>,
}

impl Snapshot {
    /// The number of executions that an estimate is about: all but redundant ones.
    pub fn counted(&self) -> u64 {
        self.executions + self.blocked + self.cut
    }
}

/// The progress of a command. Clones share it; the default one records nothing.
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Arc<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    /// When the command was started.
    start: OnceLock<Instant>,
    /// The start of the current search, in microseconds after that.
    began: AtomicU64,
    phase: AtomicU64,
    searches: AtomicU64,
    executions: AtomicU64,
    blocked: AtomicU64,
    redundant: AtomicU64,
    cut: AtomicU64,
    events: AtomicU64,
    states: AtomicU64,
    frontier: AtomicU64,
    level: AtomicU64,
    judged: AtomicU64,
    clauses: AtomicU64,
    at_least: AtomicU64,
    /// The number plus 1, or 0.
    enough: AtomicU64,
    /// The bound plus 1, or 0.
    bound: AtomicU64,
    /// Bits of the three numbers of an estimate; whether there is one.
    estimate: [AtomicU64; 3],
    has_estimate: AtomicBool,
    probes: AtomicU64,
}

impl Shared {
    /// The numbers of a search of executions.
    fn counts(&self) -> [&AtomicU64; 5] {
        [&self.executions, &self.blocked, &self.redundant, &self.cut, &self.events]
    }
}

/// [`Shared::counts`] of a summary.
fn counts(summary: &Summary) -> [u64; 5] {
    let Summary { executions, blocked, redundant, cut, events, .. } = summary;
    [*executions, *blocked, *redundant, *cut, *events]
}

impl Progress {
    /// Records nothing.
    pub const NONE: Progress = Progress(None);

    pub fn new() -> Progress {
        let shared = Shared::default();
        shared.start.get_or_init(Instant::now);
        Progress(Some(Arc::new(shared)))
    }

    /// Whether somebody wants to know.
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    pub fn enter(&self, phase: Phase) {
        if let Some(shared) = self.0.as_deref() {
            shared.phase.store(phase.code(), Relaxed);
        }
    }

    /// A search of executions starts: its numbers start at 0.
    pub fn search(&self, model: Model) {
        self.begin(Phase::Searching(model));
    }

    /// A search of states starts.
    pub fn search_states(&self) {
        self.begin(Phase::SearchingStates);
    }

    fn begin(&self, phase: Phase) {
        let Some(shared) = self.0.as_deref() else { return };
        self.report(&Summary::default());
        self.visit(0, 0, 0);
        shared.searches.fetch_add(1, Relaxed);
        let began = shared.start.get().map_or(0, |start| start.elapsed().as_micros() as u64);
        shared.began.store(began, Relaxed);
        shared.phase.store(phase.code(), Relaxed);
    }

    /// The numbers of the current search.
    pub fn report(&self, summary: &Summary) {
        let Some(shared) = self.0.as_deref() else { return };
        for (number, value) in shared.counts().into_iter().zip(counts(summary)) {
            number.store(value, Relaxed);
        }
    }

    /// The numbers of a part of the current search have grown.
    fn add(&self, before: [u64; 5], now: [u64; 5]) {
        let Some(shared) = self.0.as_deref() else { return };
        for (number, (before, now)) in shared.counts().into_iter().zip(before.into_iter().zip(now))
        {
            number.fetch_add(now.wrapping_sub(before), Relaxed);
        }
    }

    /// The numbers of the current search of states.
    pub fn visit(&self, states: u64, frontier: u64, level: u64) {
        let Some(shared) = self.0.as_deref() else { return };
        shared.states.store(states, Relaxed);
        shared.frontier.store(frontier, Relaxed);
        shared.level.store(level, Relaxed);
    }

    /// One more program was judged.
    pub fn judge(&self) {
        if let Some(shared) = self.0.as_deref() {
            shared.judged.fetch_add(1, Relaxed);
        }
    }

    /// Edits of the source are looked for.
    pub fn edit(&self) {
        self.begin(Phase::Editing);
    }

    /// A set of fences is chosen that satisfies this many clauses.
    pub fn choose(&self, clauses: usize) {
        self.begin(Phase::Choosing);
        if let Some(shared) = self.0.as_deref() {
            shared.clauses.store(clauses as u64, Relaxed);
        }
    }

    /// At least this many fences are needed, and the second number is known to suffice.
    pub fn bound(&self, at_least: usize, enough: Option<usize>) {
        let Some(shared) = self.0.as_deref() else { return };
        shared.at_least.store(at_least as u64, Relaxed);
        shared.enough.store(enough.map_or(0, |enough| enough as u64 + 1), Relaxed);
    }

    /// The size of store buffers of the searches that follow.
    pub fn raise(&self, bound: u32) {
        if let Some(shared) = self.0.as_deref() {
            shared.bound.store(u64::from(bound) + 1, Relaxed);
        }
    }

    /// How many executions the current search is going to visit, or that it is not known any more.
    pub fn estimate(&self, estimate: Option<Estimate>) {
        let Some(shared) = self.0.as_deref() else { return };
        shared.has_estimate.store(false, Relaxed);
        if let Some(Estimate { executions, low, high, probes }) = estimate {
            for (word, number) in shared.estimate.iter().zip([executions, low, high]) {
                word.store(number.to_bits(), Relaxed);
            }
            shared.probes.store(probes, Relaxed);
            shared.has_estimate.store(true, Relaxed);
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        let Some(shared) = self.0.as_deref() else { return Snapshot::default() };
        let get = |number: &AtomicU64| number.load(Relaxed);
        let [executions, low, high] = [0, 1, 2].map(|n| f64::from_bits(get(&shared.estimate[n])));
        let estimate = Estimate { executions, low, high, probes: get(&shared.probes) };
        Snapshot {
            phase: Phase::decoded(get(&shared.phase)),
            searches: get(&shared.searches),
            elapsed: shared.start.get().map_or(Duration::ZERO, |start| {
                start.elapsed().saturating_sub(Duration::from_micros(get(&shared.began)))
            }),
            executions: get(&shared.executions),
            blocked: get(&shared.blocked),
            redundant: get(&shared.redundant),
            cut: get(&shared.cut),
            events: get(&shared.events),
            states: get(&shared.states),
            frontier: get(&shared.frontier),
            level: get(&shared.level),
            judged: get(&shared.judged),
            clauses: get(&shared.clauses),
            at_least: get(&shared.at_least),
            enough: get(&shared.enough).checked_sub(1),
            bound: get(&shared.bound).checked_sub(1),
            estimate: shared.has_estimate.load(Relaxed).then_some(estimate),
        }
    }
}

/// Two are equal if they share their numbers.
impl PartialEq for Progress {
    fn eq(&self, other: &Progress) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for Progress {}

/// Reports the numbers of one search, or of one worker's part of it, from time to time.
#[derive(Clone, Debug)]
pub struct Reporter {
    progress: Progress,
    /// The numbers that were reported.
    reported: [u64; 5],
    /// The number of executions of other parts of the search, less those in `reported` that this worker has not explored.
    elsewhere: u64,
    /// The number of executions at which the next report is due.
    due: u64,
    step: u64,
    last: Instant,
}

impl Reporter {
    pub fn new(progress: &Progress) -> Reporter {
        let due = if progress.is_watched() { 1 } else { u64::MAX };
        let (progress, last) = (progress.clone(), Instant::now());
        Reporter { progress, reported: [0; 5], elsewhere: 0, due, step: 1, last }
    }

    /// The number of executions at which the next report is due.
    #[inline]
    pub fn due(&self) -> u64 {
        self.due
    }

    /// The number of executions that this worker has explored, where its current part of the search has this many.
    #[inline]
    pub fn explored(&self, part: u64) -> u64 {
        part.wrapping_add(self.elsewhere)
    }

    /// The search goes on after so many executions.
    pub fn count(&mut self, executions: u64) {
        self.elsewhere = self.elsewhere.wrapping_add(executions);
    }

    /// Whether a report is due after so many executions.
    #[inline]
    pub fn is_due(&self, executions: u64) -> bool {
        executions >= self.due
    }

    /// Reports, and decides when the next report is due: after twice as many executions if this one came early, after
    /// half as many if it came late.
    #[cold]
    pub fn report(&mut self, executions: u64, summary: &Summary) {
        self.finish(summary);
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        if passed < PAUSE / 2 {
            self.step = self.step.saturating_mul(2);
        } else if passed > PAUSE * 2 {
            self.step = (self.step / 2).max(1);
        }
        self.due = executions.saturating_add(self.step);
    }

    /// The search has ended with these numbers, or another worker goes on with them.
    pub fn finish(&mut self, summary: &Summary) {
        let now = counts(summary);
        self.progress.add(self.reported, now);
        self.reported = now;
    }

    /// The summary now includes numbers that another worker has reported.
    pub fn include(&mut self, reported: &Summary) {
        let more = counts(reported);
        for (known, more) in self.reported.iter_mut().zip(more) {
            *known += more;
        }
        self.elsewhere = self.elsewhere.wrapping_sub(more[..4].iter().sum());
    }

    /// A new part of the search begins: its numbers start at 0.
    pub fn begin(&mut self) {
        self.elsewhere = self.elsewhere.wrapping_add(self.reported[..4].iter().sum());
        self.reported = [0; 5];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_has_a_code() {
        let models = Model::ALL.into_iter().map(Phase::Searching);
        for phase in Phase::PLAIN.into_iter().chain(models) {
            assert_eq!(Phase::decoded(phase.code()), phase);
        }
        assert_eq!(Phase::decoded(99), Phase::Loading);
    }

    #[test]
    fn a_snapshot_has_the_latest_numbers() {
        let progress = Progress::new();
        progress.search(Model::Tso);
        progress.report(&Summary { executions: 3, cut: 1, events: 40, ..Summary::default() });
        progress.raise(0);
        progress.judge();
        let estimate = Estimate { executions: 5.0, low: 4.0, high: 6.5, probes: 7 };
        progress.estimate(Some(estimate));
        let shot = progress.clone().snapshot();
        assert_eq!((shot.phase, shot.searches), (Phase::Searching(Model::Tso), 1));
        assert_eq!((shot.counted(), shot.events, shot.judged, shot.bound), (4, 40, 1, Some(0)));
        assert_eq!(shot.estimate, Some(estimate));
        progress.search_states();
        progress.visit(9, 2, 3);
        let shot = progress.snapshot();
        assert_eq!((shot.counted(), shot.states, shot.frontier, shot.level), (0, 9, 2, 3));
    }

    #[test]
    fn nothing_is_recorded_where_nobody_looks() {
        Progress::NONE.search(Model::Sc);
        assert_eq!(Progress::NONE.snapshot(), Snapshot::default());
        assert!(!Reporter::new(&Progress::NONE).is_due(u64::MAX - 1));
    }

    #[test]
    fn reports_get_rarer_while_executions_are_short() {
        let mut reporter = Reporter::new(&Progress::new());
        let mut reports = 0;
        for executions in 1..=1_000_000 {
            if reporter.is_due(executions) {
                reporter.report(executions, &Summary { executions, ..Summary::default() });
                reports += 1;
            }
        }
        assert!((10..100_000).contains(&reports), "{reports}");
    }
}
