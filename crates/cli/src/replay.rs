//! `raddle replay`: the schedules of a witness file, run again.
//!
//! The program is made anew from what the file names, and must be the one that the schedules were
//! found in; each must end in the error that it is there for. Everything else is bad input.

use crate::args::ReplayArgs;
use crate::config;
use crate::input;
use crate::output::{Output, Stop};
use crate::source::{self, NotLoaded};
use crate::status::Status;
use raddle_analysis::reach;
use raddle_analysis::witness::{ExpectedEnd, rerun};
use raddle_budget::Budget;
use raddle_ir::{Diagnostic, Verified};
use raddle_report::document::{self, Origin, Recorded, RecordedWitness};
use raddle_report::source::Sources;
use raddle_report::{Run, check, json};
use std::path::Path;

pub fn run(args: &ReplayArgs, output: &mut Output) -> Result<Status, Stop> {
    let budget = config::budget(&args.budget)?;
    let file = input::shown(&args.file);
    let recorded = match load(&args.file, &file) {
        Ok(recorded) => recorded,
        Err(diagnostic) => return Ok(output.refuse(&diagnostic)),
    };
    let (program, shown) = match program(&file, &recorded.origin, &budget, output) {
        Ok(made) => made,
        Err(not_loaded) => return Ok(not_loaded.status()),
    };
    if document::fingerprint(&program) != recorded.program {
        return Ok(output.refuse(&changed(&file, &shown)));
    }
    for (n, witness) in recorded.witnesses.iter().enumerate() {
        let options = witness.options.clone().within(budget.clone());
        let run = Run { file: &shown, program: &program, options: &options };
        match replayed(&run, witness, args.output.json, output) {
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

/// What a schedule ends in, to be shown, if that is what it is there for.
fn replayed(
    run: &Run<'_>,
    witness: &RecordedWitness,
    json: bool,
    output: &Output,
) -> Result<String, String> {
    let RecordedWitness { schedule, expected, .. } = witness;
    let sources = Sources::from_disk();
    if expected.kind == ExpectedEnd::Goal {
        let found = reach::rerun(run.program, run.options, schedule)?;
        return Ok(match json {
            true => json::line(&json::replayed_goal(run, &found)),
            false => raddle_report::reach::replayed(run, &output.look(&sources), &found),
        });
    }
    let violation = rerun(run.program, run.options, schedule, expected)?;
    Ok(match json {
        true => json::line(&json::replayed(run, &violation)),
        false => check::replayed(run, &output.look(&sources), &violation),
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

/// The program that a witness was found in, made anew, and how its files are shown.
fn program(
    file: &str,
    origin: &Origin,
    budget: &Budget,
    output: &mut Output,
) -> Result<(Verified, String), NotLoaded> {
    let config = match config::source_of(origin, budget) {
        Ok(config) => config,
        Err(why) => {
            let message = format!("the witness does not say how its program is made: {why}");
            output.refuse(&Diagnostic::whole_file(file, message));
            return Err(NotLoaded::Refused);
        }
    };
    // Names are as they were given to the check.
    if let Some(diagnostic) = input::no_file(&config.files) {
        output.refuse(&diagnostic.help("run it in the folder where the check was run"));
        return Err(NotLoaded::Refused);
    }
    source::load(&config, output).map(|source| (source.program, source.shown))
}
