//! Verdicts, as defined in the design's section 7.
//!
//! | verdict | when |
//! |---|---|
//! | violation | a failure, a `~exists` that is met or a `forall` that is not, whose schedule replays, and that is not ignored |
//! | unknown | the search stopped early, sampled, met something unsupported, or completed no execution; a schedule did not replay |
//! | safe up to bounds | complete, but a bound, or an error that is ignored, cut executions, or some were left out, such as those of other inputs |
//! | safe | complete |
//!
//! The first row that applies is the verdict, so a violation counts even if a limit ended the search.

use crate::condition::{self, ConditionResult, Outcome};
use crate::search::explore;
use crate::shorten::Allowance;
use crate::why::complete;
use crate::witness::{self, Unconfirmed, Witness};
use raddle_engine::{
    Disregard, Failure, FailureKind, IgnoredPlaces, Options, Phase, Spent, Step, Summary,
};
use raddle_ir::{Program, Quantifier, Verified};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Safe,
    SafeBounded,
    Violation,
    Unknown,
}

impl Verdict {
    /// The word in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::SafeBounded => "safe-bounded",
            Verdict::Violation => "violation",
            Verdict::Unknown => "unknown",
        }
    }
}

/// An error of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offence {
    /// An execution failed.
    Failed(Failure),
    /// A final state contradicts the program's condition.
    Condition(Outcome),
}

impl Offence {
    /// The schedule that the search found for it.
    pub fn schedule(&self) -> &[Step] {
        match self {
            Offence::Failed(failure) => &failure.schedule,
            Offence::Condition(outcome) => &outcome.schedule,
        }
    }
}

/// An offence that was replayed, with the number of executions that show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub offence: Offence,
    pub witness: Witness,
    pub count: u64,
}

impl Violation {
    /// An offence that was replayed, with what the replay knows better than the search.
    pub(crate) fn of(
        program: &Program,
        mut offence: Offence,
        mut witness: Witness,
        count: u64,
    ) -> Violation {
        if let Offence::Failed(failure) = &mut offence {
            complete(program, &mut failure.site, &mut witness.events);
        }
        Violation { offence, witness, count }
    }
}

/// The result of checking a program.
#[derive(Clone, Debug)]
pub struct CheckResult {
    pub verdict: Verdict,
    pub violations: Vec<Violation>,
    /// Errors that were replayed and are not violations: each with the number of the known error that it
    /// is.
    pub suppressed: Vec<(usize, Violation)>,
    /// Errors of kinds that are not checked, as the search found them.
    pub unchecked: Vec<Failure>,
    /// Constructs that were reached and that raddle cannot run; the executions beyond them are
    /// unexplored.
    pub unsupported: Vec<Failure>,
    /// The search is complete, but no execution completed, failed or was cut. So the result proves
    /// nothing.
    pub shows_nothing: bool,
    /// Offences whose schedule did not replay: a defect of raddle, not of the program.
    pub unconfirmed: Vec<Offence>,
    /// Offences that were not replayed because time or memory ran out.
    pub unreplayed: Vec<Offence>,
    /// The program's condition, if it has one.
    pub condition: Option<ConditionResult>,
    pub summary: Summary,
    pub elapsed: Duration,
}

/// Searches a program and returns the verdict.
pub fn check(program: &Verified, options: &Options) -> CheckResult {
    let start = Instant::now();
    let summary = explore(program, options);
    options.limits.progress.enter(Phase::Replaying);
    let options = options.clone().within(options.limits.budget.for_report());
    let judged =
        Judged { ignored: options.ignored.within(program), condition: !options.ignored.condition };
    let allowance = Allowance::after(start.elapsed(), &options.limits.budget);
    let confirm = |offence: &Offence| witness::confirm(program, &options, offence, &allowance);
    let counts_executions = options.strategy.engine().counts_executions();
    let mut result = judge(program, summary, &judged, counts_executions, confirm);
    result.elapsed = start.elapsed();
    result
}

/// Which findings are errors.
#[derive(Debug, Default)]
struct Judged {
    ignored: IgnoredPlaces,
    /// Whether the final condition is one.
    condition: bool,
}

/// Confirms the findings of a search and computes the verdict; `confirm` replays an offence.
fn judge(
    program: &Program,
    summary: Summary,
    judged: &Judged,
    counts_executions: bool,
    confirm: impl Fn(&Offence) -> Result<Witness, Unconfirmed>,
) -> CheckResult {
    let ended = summary.stopped.is_none() && counts_executions;
    let shows_nothing = ended && summary.executions == 0 && summary.cut == 0;
    let mut result = CheckResult {
        verdict: Verdict::Unknown,
        violations: Vec::new(),
        suppressed: Vec::new(),
        unchecked: Vec::new(),
        unsupported: Vec::new(),
        shows_nothing,
        unconfirmed: Vec::new(),
        unreplayed: Vec::new(),
        condition: judged.condition.then(|| condition::judge(program, &summary)).flatten(),
        summary,
        elapsed: Duration::ZERO,
    };
    for (offence, count) in offences(&mut result) {
        let known = match &offence {
            Offence::Failed(failure) => judged.ignored.reason(failure),
            Offence::Condition(_) => None,
        };
        if let (Offence::Failed(failure), Some(Disregard::Unchecked)) = (&offence, known) {
            result.unchecked.push(failure.clone());
            continue;
        }
        match (confirm(&offence), known) {
            (Ok(witness), Some(Disregard::Known(number))) => {
                let found = Violation::of(program, offence, witness, count);
                result.suppressed.push((number, found));
            }
            (Ok(witness), _) => {
                result.violations.push(Violation::of(program, offence, witness, count));
            }
            (Err(Unconfirmed::Differs), _) => result.unconfirmed.push(offence),
            (Err(Unconfirmed::Spent(spent)), _) => {
                result.unreplayed.push(offence);
                result.summary.stopped = Some(spent.into());
            }
        }
    }
    result.verdict = verdict(&result);
    result
}

/// The offences that the search found, each with the number of executions that show it. Unsupported
/// constructs are moved to `unsupported`: they are not errors of the program.
fn offences(result: &mut CheckResult) -> Vec<(Offence, u64)> {
    let failures = result.summary.failures.iter().cloned();
    let (unsupported, failures): (Vec<Failure>, Vec<Failure>) =
        failures.partition(|failure| failure.kind == FailureKind::Unsupported);
    result.unsupported = unsupported;
    let failed = failures.into_iter().map(|failure| {
        let count = failure.count;
        (Offence::Failed(failure), count)
    });
    failed.chain(refuted(result)).collect()
}

/// The violation of the condition, with the number of executions that contradict it.
fn refuted(result: &CheckResult) -> Option<(Offence, u64)> {
    let condition = result.condition.as_ref()?;
    let outcome = condition.counterexample.clone()?;
    let count = match condition.quantifier {
        Quantifier::Forall => condition.negative,
        Quantifier::Exists | Quantifier::NotExists => condition.positive,
    };
    Some((Offence::Condition(outcome), count))
}

fn verdict(result: &CheckResult) -> Verdict {
    let summary = &result.summary;
    if !result.violations.is_empty() {
        Verdict::Violation
    } else if summary.stopped.is_some()
        || !result.unsupported.is_empty()
        || !result.unconfirmed.is_empty()
        || result.shows_nothing
    {
        Verdict::Unknown
    } else if summary.cut > 0 || !summary.bounds.is_empty() || summary.cut_by_ignored > 0 {
        Verdict::SafeBounded
    } else {
        Verdict::Safe
    }
}

impl CheckResult {
    /// The answer for a program that was not searched, with the reason.
    pub fn unsearched(spent: Spent) -> CheckResult {
        let summary = Summary { stopped: Some(spent.into()), ..Summary::default() };
        judge(&Program::default(), summary, &Judged::default(), true, |_| {
            Err(Unconfirmed::Spent(spent))
        })
    }

    /// Whether every execution was explored to its end, so that "never" means never.
    pub fn is_complete(&self) -> bool {
        let summary = &self.summary;
        let cut = summary.cut > 0 || !summary.bounds.is_empty() || summary.cut_by_ignored > 0;
        summary.stopped.is_none() && !cut && self.unsupported.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_engine::{BoundKind, BoundMet, FailureSite, Ignored, Stopped};
    use raddle_ir::LocId;

    fn failure(kind: FailureKind) -> Failure {
        FailureSite::new(kind, "P0", LocId::NONE, "wrong".to_owned()).shown_by(2, Vec::new())
    }

    fn replays(offence: &Offence) -> Result<Witness, Unconfirmed> {
        Ok(Witness {
            schedule: offence.schedule().to_vec(),
            events: Vec::new(),
            origins: Vec::new(),
            why: None,
        })
    }

    fn verdict_of(summary: Summary) -> Verdict {
        judge(&Program::default(), summary, &Judged::default(), true, replays).verdict
    }

    #[test]
    fn a_complete_search_is_safe() {
        let summary = Summary { executions: 1, ..Summary::default() };
        assert_eq!(verdict_of(summary), Verdict::Safe);
    }

    #[test]
    fn a_search_without_an_execution_shows_nothing() {
        let summary = Summary { blocked: 3, ..Summary::default() };
        let result = judge(&Program::default(), summary, &Judged::default(), true, replays);
        assert_eq!((result.verdict, result.shows_nothing), (Verdict::Unknown, true));
        let lazy =
            judge(&Program::default(), Summary::default(), &Judged::default(), false, replays);
        assert_eq!((lazy.verdict, lazy.shows_nothing), (Verdict::Safe, false));
    }

    #[test]
    fn a_bound_makes_it_safe_up_to_bounds() {
        let bounds = vec![BoundMet { kind: BoundKind::Events, loc: LocId::NONE, count: 1 }];
        let summary = Summary { bounds, cut: 1, ..Summary::default() };
        assert_eq!(verdict_of(summary), Verdict::SafeBounded);
    }

    #[test]
    fn stopping_early_is_unknown() {
        for stopped in [Stopped::Executions, Stopped::Time, Stopped::Memory, Stopped::Sampling] {
            let summary = Summary { stopped: Some(stopped), ..Summary::default() };
            assert_eq!(verdict_of(summary), Verdict::Unknown, "{stopped:?}");
        }
    }

    #[test]
    fn a_confirmed_failure_is_a_violation_even_if_time_ran_out() {
        let summary = Summary {
            failures: vec![failure(FailureKind::Assertion)],
            stopped: Some(Stopped::Time),
            ..Summary::default()
        };
        let result = judge(&Program::default(), summary, &Judged::default(), true, replays);
        assert_eq!(result.verdict, Verdict::Violation);
        assert_eq!(result.violations[0].count, 2);
    }

    #[test]
    fn a_failure_that_does_not_replay_is_no_violation() {
        let failures = vec![failure(FailureKind::Deadlock)];
        let summary = Summary { failures, ..Summary::default() };
        let result = judge(&Program::default(), summary, &Judged::default(), true, |_| {
            Err(Unconfirmed::Differs)
        });
        assert_eq!(result.verdict, Verdict::Unknown);
        assert!(result.violations.is_empty());
        assert_eq!(result.unconfirmed.len(), 1);
    }

    #[test]
    fn a_failure_that_there_was_no_time_to_replay_is_kept() {
        let failures = vec![failure(FailureKind::Assertion)];
        let summary = Summary { failures, ..Summary::default() };
        let spent = |_: &Offence| Err(Unconfirmed::Spent(raddle_engine::Spent::Time));
        let result = judge(&Program::default(), summary, &Judged::default(), true, spent);
        assert_eq!((result.verdict, result.unreplayed.len()), (Verdict::Unknown, 1));
        assert_eq!(result.summary.stopped, Some(Stopped::Time));
    }

    #[test]
    fn kinds_that_are_not_checked_are_no_violations() {
        for (kind, expected) in [
            (FailureKind::Deadlock, Verdict::Safe),
            (FailureKind::Assertion, Verdict::Safe),
            (FailureKind::Memory, Verdict::SafeBounded),
        ] {
            let ignored = Ignored { kinds: vec![kind], ..Ignored::default() };
            let judged =
                Judged { ignored: ignored.within(&Program::default()), ..Judged::default() };
            let failures = vec![failure(kind)];
            let cut_by_ignored = judged.ignored.cut(&[failure(kind).site]).into();
            let summary = Summary { executions: 2, cut_by_ignored, failures, ..Summary::default() };
            let never = |_: &Offence| panic!("what is not checked is not replayed");
            let result = judge(&Program::default(), summary, &judged, true, never);
            assert_eq!((result.verdict, result.unchecked.len()), (expected, 1), "{kind:?}");
        }
    }

    #[test]
    fn something_unsupported_is_unknown() {
        let failures = vec![failure(FailureKind::Unsupported)];
        let summary = Summary { failures, ..Summary::default() };
        assert_eq!(verdict_of(summary), Verdict::Unknown);
    }
}
