//! Messages about bounded store buffers.

use crate::counted;
use raddle_analysis::{Iterated, Verdict};
use raddle_engine::Options;
use std::fmt::Write;

/// `tso`, or `tso with buffers of 2 stores`.
pub(crate) fn model(options: &Options) -> String {
    match options.buffer_bound {
        Some(most) => format!("{} with {}", options.model.name(), buffers(most)),
        None => options.model.name().to_owned(),
    }
}

fn buffers(most: u32) -> String {
    format!("buffers of {}", counted(most.into(), "store"))
}

/// Describes a full buffer as a bound that was met.
pub(crate) fn full(options: &Options) -> String {
    let most = options
        .buffer_bound
        .map_or(String::new(), |most| format!(" with {}", counted(most.into(), "store")));
    format!("a store buffer was full{most} (--buffer-bound)")
}

/// Describes the last bound and the number of executions for each one before it. Follows the report on
/// the last bound.
pub fn iterated(iterated: &Iterated) -> String {
    let mut out = String::new();
    if let Some(most) = iterated.options.buffer_bound.filter(|_| !iterated.executions.is_empty()) {
        let buffers = buffers(most);
        let ended = match iterated.result.verdict {
            Verdict::Violation if most > 0 => format!("found with {buffers}, not with fewer"),
            Verdict::Violation => format!("found with {buffers}: without relaxed memory"),
            _ if iterated.is_enough() => {
                format!("{buffers} are never full: larger ones change nothing")
            }
            _ => format!("ended at {buffers}"),
        };
        let executions: Vec<String> = iterated.executions.iter().map(u64::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {ended} (executions from 0 stores up: {})", executions.join(", "));
    }
    out
}
