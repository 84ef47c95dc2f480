//! The progress of a command on standard error: one line that is drawn again and again on a terminal, or a line from
//! time to time with `--progress`.
//!
//! The display has a thread of its own, which reads the numbers that searches leave in a
//! [`Progress`]. A search never waits for it, and it ends with the command. What the command itself
//! prints goes through [`Output`](crate::output::Output), which takes the line away first.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use raddle_budget::resident_memory;
use raddle_engine::Progress;
use raddle_report::progress::{Moment, line};
use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// A shorter command shows no progress.
const PATIENCE: Duration = Duration::from_millis(300);
/// The time between two pictures of the line.
const FRAME: Duration = Duration::from_millis(100);

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// One line, drawn again and again.
    Live,
    /// A line each time.
    Lines(Duration),
}

/// The progress of a command, if it is to be shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub progress: Progress,
    manner: Option<Manner>,
}

impl Shown {
    /// Lines if they are asked for, one line on a terminal, nothing elsewhere.
    pub(crate) fn new(lines: Option<Duration>) -> Shown {
        let manner = lines.map(Manner::Lines).or(is_live().then_some(Manner::Live));
        let progress = if manner.is_some() { Progress::new() } else { Progress::NONE };
        Shown { progress, manner }
    }

    /// Shows the progress from now on.
    pub(crate) fn start(&self) -> Option<Display> {
        let manner = self.manner?;
        let bar = ProgressBar::hidden();
        let (stop, stopped) = channel::<()>();
        let picture = Picture::new(&self.progress);
        let (own, drawn) = (bar.clone(), manner == Manner::Live);
        let show = move || {
            let mut wait = if let Manner::Lines(pause) = manner { pause } else { PATIENCE };
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
                let line = picture.line();
                match manner {
                    Manner::Live => {
                        if own.is_hidden() {
                            reveal(&own);
                        }
                        own.set_message(line);
                        wait = FRAME;
                    }
                    // Nothing can be done about a line that cannot be written.
                    Manner::Lines(_) => drop(writeln!(stderr(), "progress: {line}")),
                }
            }
        };
        // Without a thread there is no progress to be seen.
        let thread = Builder::new().name("progress".to_owned()).spawn(show).ok()?;
        Some(Display { bar: drawn.then_some(bar), stop: Some(stop), thread: Some(thread) })
    }
}

/// Whether a line can be drawn again: on a terminal that can move its cursor.
fn is_live() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    stderr().is_terminal() && !is_dumb
}

/// Draws the bar from now on: its message, as much of it as there is room for.
fn reveal(bar: &ProgressBar) {
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
}

/// What the display needs for its line.
struct Picture {
    progress: Progress,
    start: Instant,
}

impl Picture {
    fn new(progress: &Progress) -> Picture {
        Picture { progress: progress.clone(), start: Instant::now() }
    }

    fn line(&self) -> String {
        line(
            &self.progress.snapshot(),
            &Moment { elapsed: self.start.elapsed(), memory: resident_memory() },
        )
    }
}

/// A display that is running; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Does something that writes to the terminal while the line is not there.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => {
                // The next picture fills the line again: nothing is left of it if that was the last output.
                bar.set_message("");
                bar.suspend(write)
            }
            None => write(),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A display that has failed has nothing more to show.
            let _ = thread.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
