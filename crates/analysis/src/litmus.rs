//! Litmus observations: which executions satisfy the proposition of the condition.
//!
//! Complete executions are counted. Under a strategy that explores one execution per trace, this is the
//! number of traces. A test without a condition is observed as `forall (true)`.

use crate::check::{CheckResult, check};
use crate::condition::ConditionResult;
use raddle_engine::Options;
use raddle_ir::{Quantifier, Verified};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    Never,
    Sometimes,
    Always,
}

impl Observation {
    pub const fn name(self) -> &'static str {
        match self {
            Observation::Never => "Never",
            Observation::Sometimes => "Sometimes",
            Observation::Always => "Always",
        }
    }

    const fn of(positive: u64, negative: u64) -> Observation {
        match (positive, negative) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            _ => Observation::Sometimes,
        }
    }
}

/// The result of a litmus test under a model.
#[derive(Clone, Debug)]
pub struct LitmusResult {
    pub observation: Observation,
    pub condition: ConditionResult,
    /// The verdict of the same search: a satisfied `~exists` is a violation.
    pub check: CheckResult,
}

/// Runs a litmus test. The search continues after failures, so that it finds every final state.
pub fn litmus(program: &Verified, options: &Options) -> LitmusResult {
    let check = check(program, &Options { keep_going: true, ..options.clone() });
    let condition = check.condition.clone().unwrap_or_else(|| trivial(&check));
    let observation = Observation::of(condition.positive, condition.negative);
    LitmusResult { observation, condition, check }
}

/// The result for `forall (true)`. For a test without observables the engine counts only executions.
fn trivial(check: &CheckResult) -> ConditionResult {
    let summary = &check.summary;
    let complete = summary.states.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    let unobserved = summary.states.is_empty() && summary.failures.is_empty();
    ConditionResult {
        quantifier: Quantifier::Forall,
        positive: if unobserved { summary.executions } else { complete },
        negative: 0,
        counterexample: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations() {
        assert_eq!(Observation::of(0, 3), Observation::Never);
        assert_eq!(Observation::of(1, 3), Observation::Sometimes);
        assert_eq!(Observation::of(3, 0), Observation::Always);
    }

    #[test]
    fn no_execution_at_all_is_never() {
        assert_eq!(Observation::of(0, 0), Observation::Never);
    }
}
