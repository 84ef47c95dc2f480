//! Verdicts, as the design's section 7 has them.
//!
//! | verdict | when |
//! |---|---|
//! | violation | a failure whose schedule replays, a `~exists` that is met, a `forall` that is not |
//! | unknown | the search stopped early, sampled, met something unsupported or an unconfirmed failure |
//! | safe up to bounds | complete, but some executions were cut by a bound |
//! | safe | complete |
//!
//! The first row that applies is taken: what was found stays found when a limit ends the search.

use crate::condition::{self, ConditionResult, Outcome};
use crate::witness::{self, Witness};
use raddle_interleave::{Failure, FailureKind, Options, Summary, explore};
use raddle_ir::Program;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Safe,
    SafeBounded,
    Violation,
    Unknown,
}

impl Verdict {
    /// The word that machine output uses.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::SafeBounded => "safe-bounded",
            Verdict::Violation => "violation",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What a program did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offence {
    /// An execution failed.
    Failed(Failure, Witness),
    /// A final state contradicts the program's condition.
    Condition(Outcome),
}

/// An offence together with the number of executions that show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub offence: Offence,
    pub count: u64,
}

/// The answer to "can it go wrong?".
#[derive(Clone, Debug)]
pub struct CheckResult {
    pub verdict: Verdict,
    pub violations: Vec<Violation>,
    /// Constructs that were reached and cannot be run; what lies behind them is unexplored.
    pub unsupported: Vec<Failure>,
    /// Failures whose schedule did not replay: a defect of raddle, not of the program.
    pub unconfirmed: Vec<Failure>,
    /// The program's condition, if it has one.
    pub condition: Option<ConditionResult>,
    pub summary: Summary,
    pub elapsed: Duration,
}

/// Searches a verified program and says what came of it.
pub fn check(program: &Program, options: &Options) -> CheckResult {
    let start = Instant::now();
    let summary = explore(program, options);
    let confirm = |failure: &Failure| witness::confirm(program, options.model, failure);
    let mut result = judge(program, summary, confirm);
    result.elapsed = start.elapsed();
    result
}

/// Sorts a search's failures and takes the verdict; `confirm` replays one.
fn judge(
    program: &Program,
    summary: Summary,
    confirm: impl Fn(&Failure) -> Option<Witness>,
) -> CheckResult {
    let mut result = CheckResult {
        verdict: Verdict::Unknown,
        violations: Vec::new(),
        unsupported: Vec::new(),
        unconfirmed: Vec::new(),
        condition: condition::judge(program, &summary),
        summary,
        elapsed: Duration::ZERO,
    };
    for failure in result.summary.failures.clone() {
        match (failure.kind, confirm(&failure)) {
            (FailureKind::Unsupported, _) => result.unsupported.push(failure),
            (_, None) => result.unconfirmed.push(failure),
            (_, Some(witness)) => {
                let count = failure.count;
                let offence = Offence::Failed(failure, witness);
                result.violations.push(Violation { offence, count });
            }
        }
    }
    if let Some(outcome) = result.condition.as_ref().and_then(|c| c.counterexample.clone()) {
        result.violations.push(refuted(&result, outcome));
    }
    result.verdict = verdict(&result);
    result
}

/// The violation of a condition: every execution that speaks against it counts.
fn refuted(result: &CheckResult, outcome: Outcome) -> Violation {
    use raddle_ir::Quantifier::Forall;
    let count = result.condition.as_ref().map_or(outcome.count, |condition| {
        if condition.quantifier == Forall { condition.negative } else { condition.positive }
    });
    Violation { offence: Offence::Condition(outcome), count }
}

fn verdict(result: &CheckResult) -> Verdict {
    let summary = &result.summary;
    if !result.violations.is_empty() {
        Verdict::Violation
    } else if summary.stopped.is_some()
        || !result.unsupported.is_empty()
        || !result.unconfirmed.is_empty()
    {
        Verdict::Unknown
    } else if summary.cut > 0 || !summary.bounds.is_empty() {
        Verdict::SafeBounded
    } else {
        Verdict::Safe
    }
}

impl CheckResult {
    /// Whether every execution was explored to its end, so that "never" means never.
    pub fn is_complete(&self) -> bool {
        let summary = &self.summary;
        let cut = summary.cut > 0 || !summary.bounds.is_empty();
        summary.stopped.is_none() && !cut && self.unsupported.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_interleave::{BoundKind, BoundMet, Stopped};
    use raddle_ir::LocId;

    fn failure(kind: FailureKind) -> Failure {
        Failure {
            kind,
            thread: "P0".into(),
            loc: LocId::NONE,
            message: "wrong".into(),
            count: 2,
            schedule: Vec::new(),
        }
    }

    fn replays(failure: &Failure) -> Option<Witness> {
        Some(Witness { schedule: failure.schedule.clone(), events: Vec::new() })
    }

    fn verdict_of(summary: Summary) -> Verdict {
        judge(&Program::default(), summary, replays).verdict
    }

    #[test]
    fn a_complete_search_is_safe() {
        assert_eq!(verdict_of(Summary::default()), Verdict::Safe);
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
        let result = judge(&Program::default(), summary, replays);
        assert_eq!(result.verdict, Verdict::Violation);
        assert_eq!(result.violations[0].count, 2);
    }

    #[test]
    fn a_failure_that_does_not_replay_is_no_violation() {
        let failures = vec![failure(FailureKind::Deadlock)];
        let summary = Summary { failures, ..Summary::default() };
        let result = judge(&Program::default(), summary, |_| None);
        assert_eq!(result.verdict, Verdict::Unknown);
        assert!(result.violations.is_empty());
        assert_eq!(result.unconfirmed.len(), 1);
    }

    #[test]
    fn something_unsupported_is_unknown() {
        let failures = vec![failure(FailureKind::Unsupported)];
        let summary = Summary { failures, ..Summary::default() };
        assert_eq!(verdict_of(summary), Verdict::Unknown);
    }
}
