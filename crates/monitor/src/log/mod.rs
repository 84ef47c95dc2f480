//! Event logs: one event per line, in the order in which they happened under SC.
//!
//! ```text
//! THREAD OP [OBJECT] [@SITE]      # comment
//! ```
//!
//! `THREAD` is a number. `OP` is `r` (read), `w` (write) or `u` (update: an interlocked operation) of the
//! address `OBJECT`; `f` (fence) or `b` (store barrier), without `OBJECT`; `s` (spawn) or `j` (join) of the
//! thread `OBJECT`. An address is any word, compared as text. A site is any word that names the
//! instruction. docs/monitor.md says more.
//!
//! A log is read in pieces; only the names of addresses and sites are kept. A source that stops before its
//! end reports a timeout ([`std::io::ErrorKind::TimedOut`]); the events read until then count.
//!
//! | module | subject |
//! |---|---|
//! | [`parse`] | one line |
//! | [`quick`] | one line of the usual form, fast |
//! | [`names`] | words and their numbers |
//! | [`found`] | distinct violations |

mod found;
mod names;
mod parse;
mod quick;

use crate::event::Buffers;
use crate::stream::{Monitor, Violation};
pub use found::{Found, MOST_DISTINCT};
pub use parse::{Line, Parser};
use raddle_budget::Budget;
use std::io::Read;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Thread numbers in a log must be less than this.
pub const MAX_THREADS: u32 = 4096;
/// The longest line.
pub const MAX_LINE: usize = 1 << 16;
const PIECE: usize = 1 << 18;

/// An error in a line of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// From 1.
    pub line: u64,
    /// From 1; 0 for the whole line.
    pub column: u32,
    pub message: String,
    pub expected: &'static str,
}

/// Why a log was not read to its end.
#[derive(Debug)]
pub enum Trouble {
    Bad(BadLine),
    Io(std::io::Error),
}

/// Calls `each` for every event of a source, in order. Returns whether the source was read to its end.
fn events(
    parser: &mut Parser,
    mut source: impl Read,
    mut each: impl FnMut(Line),
) -> Result<bool, Trouble> {
    let (mut piece, mut filled) = (vec![0; PIECE], 0);
    loop {
        let more = match source.read(&mut piece[filled..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            // The last line is not complete, so it is dropped.
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => return Ok(false),
            read => read.map_err(Trouble::Io)?,
        };
        let end = filled + more;
        let mut start = 0;
        loop {
            let text = &piece[start..end];
            if let Some((line, length)) = parser.quick_line(text) {
                if parser.is_full() {
                    return Ok(false);
                }
                each(line);
                start += length;
                continue;
            }
            let Some(length) = text.iter().position(|byte| *byte == b'\n') else { break };
            let line = parser.line(&text[..length]).map_err(Trouble::Bad)?;
            if parser.is_full() {
                return Ok(false);
            }
            line.map(&mut each);
            start += length + 1;
        }
        if more == 0 {
            // The last line may lack its newline.
            if start < end {
                let line = parser.line(&piece[start..end]).map_err(Trouble::Bad)?;
                line.filter(|_| !parser.is_full()).map(&mut each);
            }
            return Ok(!parser.is_full());
        }
        if end - start > MAX_LINE {
            return Err(Trouble::Bad(parser.too_long()));
        }
        piece.copy_within(start..end, 0);
        filled = end - start;
    }
}

/// The result of a monitor for a log.
#[derive(Debug)]
pub struct Reading {
    /// Shared by the readings of one log.
    pub names: Arc<Parser>,
    pub events: u64,
    /// Whether the log was read to its end.
    pub complete: bool,
    /// The distinct violations by their three instructions, each with its number of occurrences; in the order
    /// of their first occurrence.
    pub violations: Vec<(Violation, u64)>,
    /// The number of violations beyond [`MOST_DISTINCT`].
    pub others: u64,
}

/// A monitor and its findings.
struct Watch {
    monitor: Monitor,
    found: Found,
    events: u64,
}

impl Watch {
    fn new(buffers: Buffers, budget: &Budget) -> Watch {
        let monitor = Monitor::new(buffers).within(budget);
        Watch { monitor, found: Found::default(), events: 0 }
    }

    #[inline]
    fn see(&mut self, line: &Line) {
        self.events += 1;
        let Line { thread, op, address, site } = *line;
        let found = &mut self.found;
        self.monitor.step(thread, op, address.as_slice(), site, |violation| found.add(violation));
    }

    fn reading(self, names: Arc<Parser>, complete: bool) -> Reading {
        let complete = complete && self.monitor.is_complete();
        let Found { violations, others, .. } = self.found;
        Reading { names, events: self.events, complete, violations, others }
    }
}

/// Runs a monitor on a log.
pub fn monitor(source: impl Read, buffers: Buffers) -> Result<Reading, Trouble> {
    monitor_within(source, buffers, &Budget::UNLIMITED)
}

fn monitor_within(
    source: impl Read,
    buffers: Buffers,
    budget: &Budget,
) -> Result<Reading, Trouble> {
    let (mut parser, mut watch) = (Parser::within(budget), Watch::new(buffers, budget));
    let complete = events(&mut parser, source, |line| watch.see(&line))?;
    Ok(watch.reading(Arc::new(parser), complete))
}

/// The number of events that are sent to a monitor at once.
const BATCH: usize = 2048;
/// The maximal number of batches that wait for a monitor.
const BEHIND: usize = 8;

/// Runs several monitors on a log, which is read once, and returns one result for each. If there are several,
/// each runs in its own thread, next to the thread that reads.
pub fn monitor_each(
    source: impl Read,
    buffers: &[Buffers],
    budget: &Budget,
) -> Result<Vec<Reading>, Trouble> {
    if let [buffers] = buffers {
        return monitor_within(source, *buffers, budget).map(|reading| vec![reading]);
    }
    let mut parser = Parser::within(budget);
    let (watches, complete) = std::thread::scope(|scope| {
        let mut watching = Vec::new();
        for buffers in buffers {
            let (sender, receiver) = sync_channel::<Arc<[Line]>>(BEHIND);
            let mut watch = Watch::new(*buffers, budget);
            // Once the budget is spent, a monitor skips the batches that still wait for it.
            let watcher = scope.spawn(move || {
                let mut complete = true;
                for batch in receiver {
                    for line in batch.iter() {
                        complete &= !budget.is_spent();
                        if !complete {
                            break;
                        }
                        watch.see(line);
                    }
                }
                (watch, complete)
            });
            watching.push((sender, watcher));
        }
        let mut batch = Vec::with_capacity(BATCH);
        let send = |batch: &mut Vec<Line>| {
            let lines: Arc<[Line]> = batch.as_slice().into();
            batch.clear();
            for (sender, _) in &watching {
                // The receiver runs until the channel is closed, so `send` fails only if it has panicked.
                let _ = sender.send(Arc::clone(&lines));
            }
        };
        let complete = events(&mut parser, source, |line| {
            batch.push(line);
            if batch.len() == BATCH {
                send(&mut batch);
            }
        })?;
        send(&mut batch);
        let ends = watching.into_iter().map(|(sender, watcher)| {
            drop(sender);
            watcher.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        Ok((ends.collect::<Vec<(Watch, bool)>>(), complete))
    })?;
    let names = Arc::new(parser);
    let readings = watches.into_iter();
    let readings = readings.map(|(watch, seen)| watch.reading(names.clone(), complete && seen));
    Ok(readings.collect())
}
