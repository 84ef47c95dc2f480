//! The cost of robustness: deciding it for a robust program may take a third more time than checking the
//! program under SC.
//!
//! Both run in this process, in turns, and the minimum time of each counts: so other load on the machine
//! affects both equally.

mod ratio;
mod subjects;

use crate::table::json_line;
use ratio::Ratio;
use std::io::{self, Write};

/// The allowed cost of deciding robustness, relative to checking under SC.
const ALLOWED: f64 = 4.0 / 3.0;

/// Measures every program and prints a table; its rows also go to `json`, one object per line.
pub(crate) fn run(out: &mut impl Write, mut json: Option<&mut dyn Write>) -> io::Result<()> {
    writeln!(out, "\nrobust programs: the price of `robust` in units of `check --model sc`")?;
    writeln!(
        out,
        "{:34} {:5} {:>11} {:>13} {:>13} {:>7}",
        "program", "model", "executions", "check sc/us", "robust/us", "ratio"
    )?;
    let mut worst: f64 = 0.0;
    for subject in subjects::all() {
        for model in subject.models {
            let measured = ratio::measure(&subject, *model);
            worst = worst.max(measured.ratio);
            row(out, &measured)?;
            json.as_mut().map_or(Ok(()), |json| json_line(json, &measured))?;
        }
    }
    writeln!(out, "worst ratio {worst:.2}, allowed {ALLOWED:.2}")
}

fn row(out: &mut impl Write, m: &Ratio) -> io::Result<()> {
    let note = match m.robust {
        Some(true) if m.ratio <= ALLOWED => "",
        Some(true) => "  (too much)",
        _ => "  (not shown robust)",
    };
    writeln!(
        out,
        "{:34} {:5} {:>11} {:>13.1} {:>13.1} {:>7.2}{note}",
        m.program, m.model, m.executions, m.check_us, m.robust_us, m.ratio
    )?;
    out.flush()
}
