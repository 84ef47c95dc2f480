//! The measurements as a table, printed row by row, and what it shares with the other tables.

use crate::measure::Measurement;
use serde::Serialize;
use std::io::{Result, Write};

/// Writes an object as one line of JSON.
pub(crate) fn json_line(mut out: impl Write, object: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut out, object)?;
    writeln!(out)
}

/// The peak of memory in MiB.
pub(crate) fn peak(kib: Option<u64>) -> String {
    kib.map_or("?".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0))
}

pub(crate) fn header(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "{:18} {:5} {:10} {:>11} {:>9} {:>9} {:>11} {:>11} {:>9}",
        "program",
        "model",
        "strategy",
        "executions",
        "redundant",
        "seconds",
        "exec/s",
        "events/s",
        "peak MiB"
    )
}

pub(crate) fn row(out: &mut impl Write, m: &Measurement) -> Result<()> {
    let note = if m.complete { "" } else { "  (stopped: time)" };
    writeln!(
        out,
        "{:18} {:5} {:10} {:>11} {:>9} {:>9.3} {:>11.0} {:>11.0} {:>9}{note}",
        m.program,
        m.model,
        m.strategy,
        m.executions,
        m.redundant,
        m.seconds,
        m.executions_per_second,
        m.events_per_second,
        peak(m.peak_kib)
    )?;
    // A row can take a minute; show it as soon as it is complete.
    out.flush()
}
