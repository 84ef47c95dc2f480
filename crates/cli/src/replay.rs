//! `raddle replay`: the schedules of a witness file, run again.
//!
//! The program is made anew from what the file names, and must be the one that the schedules were
//! found in; each must end in the error that it is there for. Everything else is bad input.

use crate::config::{self, ReplayConfig};
use crate::input;
use crate::output::{Output, Stop};
use crate::source::{self, Source};
use crate::status::Status;
use raddle_analysis::reach;
use raddle_analysis::witness::{ExpectedEnd, rerun};
use raddle_budget::Budget;
use raddle_ir::Diagnostic;
use raddle_report::document::{self, Origin, Recorded, RecordedWitness};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, check, json};
use std::path::Path;

pub(crate) fn run(config: &ReplayConfig, output: &mut Output) -> Result<Status, Stop> {
    let budget = &config.budget;
    let file = input::shown(&config.file);
    let recorded = load(&config.file, &file).map_err(|diagnostic| output.refuse(&diagnostic))?;
    let Source { program, shown, stopped, .. } = program(&file, &recorded.origin, budget, output)?;
    if stopped.is_some() {
        return Ok(Status::Unknown);
    }
    if document::fingerprint(&program) != recorded.program {
        return Err(output.refuse(&changed(&file, &shown)));
    }
    for (n, witness) in recorded.witnesses.iter().enumerate() {
        let options = witness.options.clone().within(budget.clone());
        let run = Run { file: &shown, program: &program, options: &options };
        match replayed(&run, witness, config, output) {
            Ok(text) => {
                output.print(&text)?;
                output.note(Status::Violation);
            }
            Err(reason) if budget.is_spent() => {
                let message = format!("witness {}: stopped early: {reason}", n + 1);
                output.complain(&format!("error: {file}: {message}"));
                output.note(Status::Unknown);
            }
            Err(reason) => {
                let message = format!("witness {} does not replay: {reason}", n + 1);
                output.refuse(&Diagnostic::whole_file(&file, message));
            }
        }
    }
    Ok(output.status())
}

/// The text of the error that a schedule ends in, if it is the recorded one.
fn replayed(
    run: &Run<'_>,
    witness: &RecordedWitness,
    config: &ReplayConfig,
    output: &Output,
) -> Result<String, String> {
    let RecordedWitness { schedule, expected, .. } = witness;
    let sources = Sources::from_disk();
    let look = Look { all_steps: config.all_steps, ..output.look(&sources) };
    if expected.kind == ExpectedEnd::Goal {
        let found = reach::rerun(run.program, run.options, schedule)?;
        return Ok(match config.json {
            true => json::line(&json::replayed_goal(run, &found)),
            false => raddle_report::reach::replayed(run, &look, &found),
        });
    }
    let violation = rerun(run.program, run.options, schedule, expected)?;
    Ok(match config.json {
        true => json::line(&json::replayed(run, &violation)),
        false => check::replayed(run, &look, &violation),
    })
}

fn load(path: &Path, file: &str) -> Result<Recorded, Diagnostic> {
    if let Some(diagnostic) = input::no_file(&[path.to_owned()]) {
        return Err(diagnostic);
    }
    let bytes = input::bytes(path)?;
    let recorded = document::read(file, &bytes)?;
    if recorded.witnesses.is_empty() {
        return Err(Diagnostic::whole_file(file, "the file holds no witness: nothing was found")
            .help("raddle check --witness writes one for every error it finds, raddle reach --witness for a goal"));
    }
    Ok(recorded)
}

fn changed(file: &str, program: &str) -> Diagnostic {
    let message = format!("{program} is not the program that the witness is from; it has changed");
    Diagnostic::whole_file(file, message)
        .help("check it again: raddle check --witness writes a new witness")
}

/// The program that a witness was found in, made anew.
fn program(
    file: &str,
    origin: &Origin,
    budget: &Budget,
    output: &mut Output,
) -> Result<Source, Stop> {
    let config = config::source_of(origin, budget).map_err(|why| {
        let message = format!("the witness does not say how its program is made: {why}");
        output.refuse(&Diagnostic::whole_file(file, message))
    })?;
    // Names are as they were given to the check.
    if let Some(diagnostic) = input::no_file(&config.files) {
        return Err(output.refuse(&diagnostic.help("run it in the folder where the check was run")));
    }
    source::load(&config, output)
}
