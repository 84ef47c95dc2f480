//! Robustness by counting: the traces under SC are a subset of those under the model.
//!
//! A count that a limit cut short proves nothing, whatever the other count is. In that case the second
//! search is skipped. Both searches share the time.

use super::{Finding, gaps, options, traces};
use crate::estimate::beside;
use raddle_engine::{Limits, Model};
use raddle_interleave::explore;
use raddle_ir::Verified;

pub(super) fn decide(program: &Verified, model: Model, limits: &Limits) -> Finding {
    let mut finding = Finding::default();
    for model in [Model::Sc, model] {
        let options = options(model, limits);
        let summary = beside(program, &options, || explore(program, &options));
        finding.gaps = gaps(&summary);
        finding.searches.push((model, summary));
        if !finding.gaps.is_empty() {
            return finding;
        }
    }
    let mut counts = finding.searches.iter().map(|(_, summary)| traces(summary));
    finding.violated = counts.next() != counts.next();
    finding
}
