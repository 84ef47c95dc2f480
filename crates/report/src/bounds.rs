//! Bounds that a search has met, for reports that do not have the options and so cannot name the limits.

use crate::json::SourceLine;
use crate::{Subject, counted};
use raddle_engine::{BoundKind, BoundMet};
use raddle_ir::Program;
use serde::Serialize;

/// A bound that was met, as JSON.
#[derive(Serialize, Debug)]
pub(crate) struct Bound {
    kind: &'static str,
    file: String,
    line: Option<u32>,
    /// The number of executions that met it.
    count: u64,
}

pub(crate) fn listed(subject: &Subject<'_>, met: &[BoundMet]) -> Vec<Bound> {
    let bound = |met: &BoundMet| {
        let SourceLine { file, line } = subject.line(met.loc);
        Bound { kind: met.kind.name(), file, line, count: met.count }
    };
    met.iter().map(bound).collect()
}

/// The sentence about inputs of which only some values were tried.
pub(crate) const INPUTS: &str = "an input took some of its values only (--nondet-range; docs/c.md)";

/// `a loop went back as often as it may (--unroll) at f.rir:3 (2 executions cut)`
pub(crate) fn told(program: &Program, met: &BoundMet) -> String {
    let what = match met.kind {
        BoundKind::Events => "a thread had as many events as it may (--max-events)",
        BoundKind::LocalSteps => "a thread ran very long without an event",
        BoundKind::Operations => "a thread stored or fenced very often without an event",
        BoundKind::Iterations => "a loop went back as often as it may (--unroll)",
        BoundKind::Buffer => "a store buffer was full (--buffer-bound)",
        BoundKind::Endless => "a thread goes on for ever in a loop without a way out",
        BoundKind::Inputs => INPUTS,
    };
    let place = program.place(met.loc).map_or(String::new(), |place| format!(" at {place}"));
    let times = counted(met.count, "execution");
    match met.kind {
        BoundKind::Inputs => format!("{what}{place}"),
        BoundKind::Buffer => format!("{what}{place} ({times})"),
        _ => format!("{what}{place} ({times} cut)"),
    }
}
