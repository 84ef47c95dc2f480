//! Robustness by counting: the traces under SC are a subset of those under the model.
//!
//! A count that a limit cut short proves nothing, whatever the other count is. In that case the second
//! search is skipped. Both searches share the time.

use super::{Decision, gaps, options, traces};
use crate::estimate::beside;
use raddle_engine::{Limits, Model};
use raddle_interleave::explore;
use raddle_ir::Verified;

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Decision {
    let mut decision = Decision::default();
    for model in [Model::Sc, model] {
        let options = options(model, limits);
        let summary = beside(program, &options, || explore(program, &options));
        decision.gaps = gaps(&summary);
        decision.searches.push((model, summary));
        if !decision.gaps.is_empty() {
            return decision;
        }
    }
    let mut counts = decision.searches.iter().map(|(_, summary)| traces(summary));
    decision.violated = counts.next() != counts.next();
    decision
}
