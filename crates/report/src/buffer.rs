//! What is said of bounded store buffers.

use crate::counted;
use raddle_analysis::{Iterated, Search, Verdict};
use std::fmt::Write;

/// `tso`, or `tso with buffers of 2 stores`.
pub(crate) fn model(search: &Search) -> String {
    match search.buffer_bound() {
        Some(most) => format!("{} with {}", search.model_name(), buffers(most)),
        None => search.model_name().to_owned(),
    }
}

fn buffers(most: u32) -> String {
    format!("buffers of {}", counted(most.into(), "store"))
}

/// What a full buffer is, as a bound that was met.
pub(crate) fn full(search: &Search) -> String {
    let most = search
        .buffer_bound()
        .map_or(String::new(), |most| format!(" with {}", counted(most.into(), "store")));
    format!("a store buffer was full{most} (--buffer-bound)")
}

/// Where raising the bound ended, and what it went through: follows the report on that bound.
pub fn iterated(iterated: &Iterated) -> String {
    let mut out = String::new();
    if let Some(most) = iterated.search.buffer_bound().filter(|_| !iterated.executions.is_empty()) {
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
