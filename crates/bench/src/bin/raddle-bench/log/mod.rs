//! The monitors on recorded logs: events per second, including reading and parsing, and memory.
//!
//! Each log is generated, written to a file and read by a child process, so that the peak of memory is
//! that of the monitor alone.

mod make;

use crate::cpu;
use crate::table::{json_line, peak};
use clap::ValueEnum;
pub(crate) use make::Kind;
use raddle_analysis::robust::buffers;
use raddle_budget::peak_memory;
use raddle_engine::Model;
use raddle_monitor::log::monitor;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const LENGTHS: [u64; 2] = [1_000_000, 10_000_000];
/// The number of passes over a log; the fastest counts.
const PASSES: usize = 3;

/// The measurement of a log.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct Measured {
    pub log: String,
    pub model: String,
    pub events: u64,
    pub distinct: u64,
    pub seconds: f64,
    pub events_per_second: f64,
    pub peak_kib: Option<u64>,
}

/// Measures every kind of log and prints a table.
pub(crate) fn run(out: &mut impl Write, mut json: Option<&mut dyn Write>) -> io::Result<()> {
    writeln!(out, "\nmonitors on logs, reading and parsing included")?;
    writeln!(
        out,
        "{:10} {:5} {:>11} {:>9} {:>9} {:>13} {:>9}",
        "log", "model", "events", "distinct", "seconds", "events/s", "peak MiB"
    )?;
    for kind in Kind::value_variants() {
        for events in LENGTHS {
            let path = Scratch::new(*kind, events)?;
            for model in Model::ALL.into_iter().filter(|model| model.is_buffered()) {
                let measured = ask(&path.0, model.name())?;
                row(out, *kind, &measured)?;
                json.as_mut().map_or(Ok(()), |json| json_line(json, &measured))?;
            }
        }
    }
    Ok(())
}

/// A temporary file with a log.
struct Scratch(PathBuf);

impl Scratch {
    fn new(kind: Kind, events: u64) -> io::Result<Scratch> {
        let name = format!("raddle-bench-{}-{}-{events}.log", std::process::id(), kind.name());
        let path = Scratch(std::env::temp_dir().join(name));
        let mut file = BufWriter::new(File::create(&path.0)?);
        make::write(&mut file, kind, events)?;
        file.flush()?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file that remains in the folder for temporary files does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs the monitor on a log in a child process.
fn ask(path: &Path, model: &str) -> io::Result<Measured> {
    let arguments = ["--child", "--model", model, "--log"];
    let mut child = Command::new(std::env::current_exe()?);
    let done = child.args(arguments).arg(path).output()?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(io::Error::other(format!("{}: {said}", path.display())));
    }
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// The work of the child process.
pub(crate) fn measure(path: &Path, model: Model) -> io::Result<Measured> {
    let (mut seconds, mut counts) = (f64::MAX, Ok((0, 0)));
    for _ in 0..PASSES {
        let took = cpu::time(|| {
            counts = File::open(path).and_then(|file| match monitor(file, buffers(model)) {
                Ok(reading) => Ok((reading.events, reading.violations.len() as u64)),
                Err(trouble) => Err(io::Error::other(format!("{trouble:?}"))),
            });
        });
        seconds = took.as_secs_f64().min(seconds);
    }
    let (events, distinct) = counts?;
    Ok(Measured {
        log: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        model: model.name().to_owned(),
        events,
        distinct,
        seconds,
        events_per_second: events as f64 / seconds.max(1e-9),
        peak_kib: peak_memory().map(|bytes| bytes / 1024),
    })
}

fn row(out: &mut impl Write, kind: Kind, m: &Measured) -> io::Result<()> {
    writeln!(
        out,
        "{:10} {:5} {:>11} {:>9} {:>9.3} {:>13.0} {:>9}",
        kind.name(),
        m.model,
        m.events,
        m.distinct,
        m.seconds,
        m.events_per_second,
        peak(m.peak_kib)
    )?;
    out.flush()
}
