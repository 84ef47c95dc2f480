//! By counting: the traces under SC are among those under the model.

use super::{Finding, gaps, options, traces};
use raddle_interleave::{Limits, Model, explore};
use raddle_ir::Program;

pub(super) fn decide(program: &Program, model: Model, limits: &Limits) -> Finding {
    let search = |model| (model, explore(program, &options(model, limits)));
    let searches = vec![search(Model::Sc), search(model)];
    let gaps: Vec<_> = searches.iter().flat_map(|(_, summary)| gaps(summary)).collect();
    let [strong, weak] = [0, 1].map(|n: usize| traces(&searches[n].1));
    Finding { witness: None, violated: gaps.is_empty() && strong != weak, gaps, searches }
}
