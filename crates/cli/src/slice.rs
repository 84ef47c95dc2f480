//! `raddle slice`: goes on with a search for a while, and divides what is left.

use crate::config::SliceConfig;
use crate::destination::Destination;
use crate::input::shown;
use crate::keep::{self, Watched};
use crate::output::{Output, Stop};
use crate::status::Status;
use raddle_engine::{FrontierState, Keeper, Saved, Start, Stopped};
use raddle_ir::{Diagnostic, LocId, Program};
use raddle_report::frontier::Frontiers;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The result of a slice.
#[derive(Serialize)]
struct Slice<'a> {
    state: &'static str,
    rest: String,
    parts: Vec<String>,
    /// The names of the parts, in the same order.
    names: Vec<String>,
    /// The name of the part that is missing first.
    needs: Option<String>,
    /// Of this slice alone.
    executions: u64,
    blocked: u64,
    redundant: u64,
    cut: u64,
    events: u64,
    /// All that are in the rest.
    errors: Vec<Error<'a>>,
    /// Whether an error has ended the search.
    decided: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct Error<'a> {
    kind: &'static str,
    file: Option<&'a str>,
    line: Option<u32>,
    message: &'a str,
    count: u64,
}

pub(crate) fn run(config: &SliceConfig, output: &mut Output) -> Result<Status, Stop> {
    let start = Instant::now();
    let refuse = |diagnostic: Diagnostic, output: &mut Output| output.refuse(&diagnostic);
    let frontier = keep::read(&config.frontier).map_err(|it| refuse(it, output))?;
    let mut results = Vec::new();
    for path in &config.results {
        let result = keep::read(path).map_err(|it| refuse(it, output))?;
        let wrong = result.differs_from(&frontier.program, &frontier.options);
        if let Some(why) = wrong {
            let message = format!("this is of another search: {why}");
            return Err(refuse(Diagnostic::whole_file(&shown(path), message), output));
        }
        results.push(result.left);
    }
    if let (true, Some(path)) = (frontier.left.is_empty(), config.results.first()) {
        let message = "the search has not begun, and has no parts".to_owned();
        return Err(refuse(Diagnostic::whole_file(&shown(path), message), output));
    }
    fs::create_dir_all(&config.folder).map_err(|error| {
        let message = format!("cannot make this folder: {error}");
        refuse(Diagnostic::whole_file(&shown(&config.folder), message), output)
    })?;
    let name = |name: &str| config.folder.join(name);
    let rest = checked(&name("rest.raddle"), config).map_err(|it| refuse(it, output))?;
    let last: Arc<Mutex<Option<Saved>>> = Arc::default();
    let kept = Arc::clone(&last);
    let begin = (!frontier.left.is_empty())
        .then(|| Start { frontier: frontier.left.clone(), results: results.clone() });
    let keeper = Keeper::new(begin, config.parts, move |saved| {
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
    });
    // An execution that was begun comes to its end, so that every slice gets on.
    let limits =
        Watched { start, time: Some(config.time), memory: config.budget.memory(), every: None };
    let watchdog = limits.watch(&keeper, &config.budget);
    let mut options = frontier.options.clone().within(config.budget.clone());
    options.limits.workers = config.jobs;
    options.limits.keeper = keeper.clone();
    let summary = raddle_analysis::explore(&frontier.program, &options);
    drop(watchdog);
    if let Some(why) = keeper.refusal() {
        let files = config.results.iter().chain([&config.frontier]);
        let files: Vec<String> = files.map(|path| shown(path)).collect();
        let message = format!("cannot be gone on with: {why}");
        return Err(refuse(Diagnostic::whole_file(&files.join(", "), message), output));
    }
    let saved = last.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(saved) = saved else {
        // A program that needs something that raddle does not have fails before its first execution.
        let failed = summary.failures.first().map(|failure| failure.message.as_str());
        let why = failed.or(summary.stopped.map(Stopped::phrase)).unwrap_or("the search failed");
        let message = format!("no slice of the search could be made: {why}");
        return Err(refuse(Diagnostic::whole_file(&shown(&config.frontier), message), output));
    };
    let frontiers = Frontiers::new(&frontier.file, &frontier.program, &frontier.options);
    let mut parts = Vec::new();
    for (n, part) in saved.parts.iter().enumerate() {
        let path = name(&format!("part-{}.raddle", n + 1));
        let file = frontiers.file(FrontierState::Open, &part.frontier);
        checked(&path, config)
            .and_then(|destination| destination.write(|out| out.write_all(&file)))
            .map_err(|it| refuse(it, output))?;
        parts.push(path);
    }
    let file = frontiers.file(saved.state, &saved.rest);
    rest.write(|out| out.write_all(&file)).map_err(|it| refuse(it, output))?;
    let text = |path: &PathBuf| path.display().to_string();
    let (now, before) = (&saved.summary, keeper.before());
    let errors = now.failures.iter();
    output.print_json(&Slice {
        state: saved.state.name(),
        rest: text(&name("rest.raddle")),
        parts: parts.iter().map(text).collect(),
        names: saved.parts.iter().map(|part| hex(part.name)).collect(),
        needs: saved.needs.map(hex),
        executions: added(now.executions, before.executions),
        blocked: added(now.blocked, before.blocked),
        redundant: added(now.redundant, before.redundant),
        cut: added(now.cut, before.cut),
        events: added(now.events, before.events),
        errors: errors
            .map(|failure| {
                let (file, line) = place(&frontier.program, failure.loc);
                let (kind, message) = (failure.kind.name(), failure.message.as_str());
                Error { kind, file, line, message, count: failure.count }
            })
            .collect(),
        decided: now.stopped == Some(Stopped::Failure),
        seconds: start.elapsed().as_secs_f64(),
    })?;
    Ok(Status::Fine)
}

fn hex(name: u64) -> String {
    format!("{name:016x}")
}

/// The number that a slice has added. It may be less than before: an error that ends the search takes back the numbers of
/// what comes after it.
fn added(now: u64, before: u64) -> u64 {
    now.saturating_sub(before)
}

fn place(program: &Program, loc: LocId) -> (Option<&str>, Option<u32>) {
    let Some(loc) = program.loc(loc) else { return (None, None) };
    (program.files.get(loc.file as usize).map(String::as_str), Some(loc.line))
}

/// A file of the result, which must not be one of the inputs.
fn checked(path: &Path, config: &SliceConfig) -> Result<Destination, Diagnostic> {
    let inputs = config.results.iter().chain([&config.frontier]).map(PathBuf::as_path);
    Destination::checked(path, inputs)
}

#[cfg(test)]
mod tests {
    use super::added;

    /// With an error, a slice may put in fewer executions than another one has counted behind its place.
    #[test]
    fn an_error_that_takes_numbers_back_adds_none() {
        assert_eq!((added(7, 5), added(3, 5)), (2, 0));
    }
}
