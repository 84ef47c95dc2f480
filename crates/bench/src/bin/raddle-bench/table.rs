//! The measurements as a table, printed row by row.

use crate::measure::Measurement;
use std::io::{Result, Write};

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
    let peak = m.peak_kib.map_or("?".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
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
        peak
    )?;
    // A row can take a minute; show it as soon as it is complete.
    out.flush()
}
