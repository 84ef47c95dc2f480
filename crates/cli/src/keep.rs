//! Searches that are kept: `--checkpoint`, `--resume` and `--frontier` of `raddle check`.
//!
//! A search that is kept ends between two executions, where what is left of it can be written. So its limits on time and memory, and
//! signals, are watched here: they ask it to end. Its own budget lasts a little longer, and ends it where an execution takes too long for
//! that; then the file has the frontier that was saved before.

use crate::config::KeepConfig;
use crate::destination::Destination;
use crate::input::shown;
use crate::output::{Output, Stop};
use crate::signals;
use crate::source::Source;
use raddle_budget::{Budget, resident_memory};
use raddle_engine::{FrontierState, Keeper, Options, Saved, Start, Stopped};
use raddle_ir::Diagnostic;
use raddle_report::frontier::{self, Frontier, Frontiers};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Limits and signals are looked at so often.
const PAUSE: Duration = Duration::from_millis(10);
/// The time that an execution may take to its end after the search was asked to end, at least.
const GRACE: Duration = Duration::from_secs(5);
/// The part of the memory limit that is left for writing the frontier.
const RESERVE: u64 = 8;

/// The files that a search is kept in.
#[derive(Debug)]
pub(crate) struct Files<'a> {
    config: &'a KeepConfig,
    checkpoint: Option<Destination>,
    start: Option<Frontier>,
}

impl<'a> Files<'a> {
    /// Checks the files before the program is loaded, and reads the frontier to go on with.
    pub(crate) fn at(
        config: &'a KeepConfig,
        inputs: &[&Path],
        output: &mut Output,
    ) -> Result<Files<'a>, Stop> {
        let start = match &config.resume {
            None => None,
            Some(path) => Some(read(path).map_err(|diagnostic| output.refuse(&diagnostic))?),
        };
        let path = config.checkpoint.as_ref().or(config.frontier.as_ref());
        let checkpoint = match path {
            None => None,
            Some(path) => {
                let checked = Destination::checked(path, inputs.iter().copied())
                    .and_then(|destination| unused(config, path).map(|()| destination));
                Some(checked.map_err(|diagnostic| output.refuse(&diagnostic))?)
            }
        };
        Ok(Files { config, checkpoint, start })
    }

    /// Writes the search that has not begun, if only that is asked for.
    pub(crate) fn write_frontier(
        &self,
        source: &Source,
        options: &Options,
        output: &mut Output,
    ) -> Result<bool, Stop> {
        let (Some(path), Some(destination)) = (&self.config.frontier, &self.checkpoint) else {
            return Ok(false);
        };
        let file =
            Frontiers::new(&source.shown, &source.program, options).file(FrontierState::Open, &[]);
        destination
            .write(|out| out.write_all(&file))
            .map_err(|diagnostic| output.refuse(&diagnostic))?;
        let (program, model, path) = (&source.shown, options.model, shown(path));
        output.print(&format!("{program}: the search under {model}, not begun, is in {path}\n"))?;
        Ok(true)
    }

    /// Keeps the search with these options, if that is asked for.
    pub(crate) fn keep(
        self,
        source: &Source,
        options: &Options,
        output: &mut Output,
    ) -> Result<(Options, Option<Kept>), Stop> {
        if !self.config.keeps() || source.stopped.is_some() {
            return Ok((options.clone(), None));
        }
        if let (Some(start), Some(path)) = (&self.start, &self.config.resume)
            && let Some(difference) = start.differs_from(&source.program, options)
        {
            let message = format!("this is the frontier of another search: {difference}");
            let refused = Diagnostic::whole_file(&shown(path), message)
                .expected("the program and the options that it was made with");
            return Err(output.refuse(&refused));
        }
        let notes = Arc::new(Mutex::new(Notes::default()));
        let start = self.start.filter(|start| !start.left.is_empty());
        let start = start.map(|start| Start { frontier: start.left, results: Vec::new() });
        let noted = Arc::clone(&notes);
        let frontiers = Frontiers::new(&source.shown, &source.program, options);
        let checkpoint = self.checkpoint;
        let save = move |saved: Saved| {
            let mut error = None;
            if let Some(destination) = &checkpoint {
                let file = frontiers.file(saved.state, &saved.rest);
                error = destination.write(|out| out.write_all(&file)).err();
            }
            let mut notes = locked(&noted);
            notes.saved += 1;
            notes.state = Some(saved.state);
            notes.error = error.or(notes.error.take());
        };
        let keeper = Keeper::new(start, 0, save);
        let every = self.config.checkpoint.is_some().then_some(self.config.every);
        let limits = Watched::of(&options.limits.budget, every);
        let budget = limits.lasting();
        let watchdog = limits.watch(&keeper, &budget);
        let mut options = options.clone().within(budget);
        options.limits.keeper = keeper.clone();
        let path = self.config.checkpoint.clone().map(|path| shown(&path));
        let resumed = self.config.resume.clone().map(|path| shown(&path));
        Ok((options, Some(Kept { keeper, notes, watchdog, path, resumed })))
    }
}

/// Reports of a search that is kept.
#[derive(Debug, Default)]
struct Notes {
    saved: u64,
    state: Option<FrontierState>,
    error: Option<Diagnostic>,
}

fn locked(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search that is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    keeper: Keeper,
    notes: Arc<Mutex<Notes>>,
    watchdog: Option<Watchdog>,
    /// The files as the user named them.
    path: Option<String>,
    resumed: Option<String>,
}

impl Kept {
    /// The search has ended: says where it is kept, and refuses a frontier that could not be gone on with.
    pub(crate) fn end(self, output: &mut Output) -> Result<(), Stop> {
        drop(self.watchdog);
        let resumed = self.resumed.unwrap_or_default();
        if let Some(why) = self.keeper.refusal() {
            let message = format!("cannot be gone on with: {why}");
            return Err(output.refuse(&Diagnostic::whole_file(&resumed, message)));
        }
        let notes = std::mem::take(&mut *locked(&self.notes));
        if notes.state == Some(FrontierState::Waiting) {
            let message = "other processes have parts of this search, whose results are missing";
            let refused = Diagnostic::whole_file(&resumed, message.to_owned())
                .expected("the results put in, by raddle slice");
            return Err(output.refuse(&refused));
        }
        if let Some(error) = notes.error {
            output.refuse(&error);
        } else if let (Some(path), Some(FrontierState::Open)) = (self.path, notes.state) {
            output.report(&format!(
                "note: the rest of the search is in {path}; --resume {path} goes on with it"
            ));
        }
        Ok(())
    }
}

/// Reads a frontier.
pub(crate) fn read(path: &Path) -> Result<Frontier, Diagnostic> {
    let name = shown(path);
    let bytes = fs::read(path).map_err(|error: io::Error| {
        Diagnostic::whole_file(&name, format!("cannot be read: {error}"))
    })?;
    frontier::read(&name, &bytes)
}

/// Refuses to replace a search that is not done, unless it is the one that is gone on with.
fn unused(config: &KeepConfig, path: &Path) -> Result<(), Diagnostic> {
    if config.goes_on_in(path) {
        return Ok(());
    }
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    let is_open = frontier::is_frontier(&bytes)
        && frontier::read("", &bytes)
            .is_ok_and(|found| found.state != FrontierState::Done && !found.left.is_empty());
    match is_open {
        false => Ok(()),
        true => {
            let message = "this file has a search that is not done, which would be lost";
            Err(Diagnostic::whole_file(&shown(path), message.to_owned())
                .expected(format!("--resume {} to go on with it, or another file", shown(path))))
        }
    }
}

/// The limits of a search that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    pub start: Instant,
    pub time: Option<Duration>,
    /// The most bytes that the process may hold.
    pub memory: Option<u64>,
    /// How often the frontier is saved.
    pub every: Option<Duration>,
}

impl Watched {
    fn of(budget: &Budget, every: Option<Duration>) -> Watched {
        let (time, memory) = (budget.time_left(), budget.memory());
        Watched { start: Instant::now(), time, memory, every }
    }

    /// A budget that lasts longer, for the end of an execution.
    fn lasting(&self) -> Budget {
        let time = self.time.map(|time| time + GRACE.max(time / 10));
        Budget::new(time, self.memory)
    }

    /// Watches the limits, and asks the search to end when one is met.
    pub(crate) fn watch(self, keeper: &Keeper, budget: &Budget) -> Option<Watchdog> {
        let (keeper, interruption) = (keeper.clone(), budget.interruption());
        let (stop, stopped) = channel::<()>();
        if let Some(stopped) = self.met() {
            keeper.end(stopped);
        }
        let watch = move || {
            let (mut saved, mut ended) = (Instant::now(), None::<Instant>);
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(PAUSE) {
                if let Some(since) = ended {
                    if signals::received().is_some() && since.elapsed() >= GRACE {
                        interruption.store(true, Relaxed);
                    }
                } else if let Some(stopped) = self.met() {
                    keeper.end(stopped);
                    ended = Some(Instant::now());
                } else if self.every.is_some_and(|every| saved.elapsed() >= every) {
                    keeper.request();
                    saved = Instant::now();
                }
            }
        };
        // Without a thread, only the budget ends the search.
        let thread = Builder::new().name("keep".to_owned()).spawn(watch).ok()?;
        Some(Watchdog { stop: Some(stop), thread: Some(thread) })
    }

    /// The limit that is met.
    fn met(&self) -> Option<Stopped> {
        if signals::received().is_some() {
            return Some(Stopped::Interrupted);
        }
        if self.time.is_some_and(|time| self.start.elapsed() >= time) {
            return Some(Stopped::Time);
        }
        let full = self.memory.map(|memory| memory - memory / RESERVE);
        let is_full = full.is_some_and(|full| resident_memory().is_some_and(|held| held >= full));
        is_full.then_some(Stopped::Memory)
    }
}

/// The thread that watches the limits. It ends with this value.
#[derive(Debug)]
pub(crate) struct Watchdog {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
