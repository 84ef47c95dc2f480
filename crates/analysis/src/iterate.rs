//! Raises the bound on store buffers until larger buffers make no difference: `--buffer-bound iterate`.
//!
//! Buffers of 0, 1, 2, … stores are searched in turn. The first bound with a violation ends the iteration:
//! smaller buffers do not show it. The first bound that no execution meets ends it as well. Then a buffer is
//! never full when its thread wants to store, so every execution of the unbounded machine is one of the
//! bounded machine, and the verdict holds without the bound. It would not be enough that two consecutive
//! bounds have the same traces: a third may have more.

use crate::check::{CheckResult, Verdict, check};
use raddle_engine::{BoundKind, Options};
use raddle_ir::Verified;
use std::time::Instant;

/// The last search and its result.
#[derive(Clone, Debug)]
pub struct Iterated {
    /// The options of the last search, with its bound.
    pub options: Options,
    pub result: CheckResult,
    /// The number of executions for each bound, from 0 up to the last one; empty if the bound was not
    /// raised.
    pub executions: Vec<u64>,
}

impl Iterated {
    /// A check with the given bound.
    pub fn once(program: &Verified, options: &Options) -> Iterated {
        let (options, result) = (options.clone(), check(program, options));
        Iterated { options, result, executions: Vec::new() }
    }

    /// Whether larger buffers make no difference, within the other bounds and limits.
    pub fn is_enough(&self) -> bool {
        self.result.summary.stopped.is_none() && !is_bounded(&self.result)
    }
}

/// Checks a program with buffers of growing size. The budget is for all bounds together, the limit on
/// executions for each bound.
pub fn iterate(program: &Verified, options: &Options) -> Iterated {
    let start = Instant::now();
    let mut executions = Vec::new();
    loop {
        let bound = executions.len() as u32;
        let buffer_bound = options.has_buffers().then_some(bound);
        let options = Options { buffer_bound, ..options.clone() };
        options.limits.progress.raise(bound);
        let mut result = check(program, &options);
        executions.push(result.summary.executions);
        let goes_on = result.verdict == Verdict::SafeBounded && is_bounded(&result);
        let spent = options.limits.budget.spent().filter(|_| goes_on);
        if let Some(spent) = spent {
            result.summary.stopped = Some(spent.into());
            result.verdict = Verdict::Unknown;
        }
        if !goes_on || spent.is_some() {
            result.elapsed = start.elapsed();
            return Iterated { options, result, executions };
        }
    }
}

/// Whether the bound on buffers was met.
fn is_bounded(result: &CheckResult) -> bool {
    result.summary.bounds.iter().any(|bound| bound.kind == BoundKind::Buffer)
}
