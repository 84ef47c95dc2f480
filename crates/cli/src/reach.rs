//! `raddle reach`: its arguments, and what it does.

use crate::args::{BudgetArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::models;
use crate::output::{Output, Stop};
use crate::source::{self, NotLoaded, Source};
use crate::status::Status;
use crate::witness::WitnessFile;
use clap::Args;
use raddle_analysis::reach;
use raddle_analysis::reach::ReachResult;
use raddle_engine::{Checks, Model, Options, Strategy};
use raddle_ir::Verified;
use raddle_report::source::Sources;
use raddle_report::{Run, document};
use std::path::PathBuf;

/// Ask whether a program can reach one of its goals; without goals, whether it can fail.
///
/// For programs with loops that need not end, over finite data: every state is visited once. Under TSO
/// store buffers are brought in only where robustness fails. A goal that can be reached is no error by
/// itself, but has the exit status of one (1); 0 means that it cannot be reached.
#[derive(Args, Debug)]
pub struct ReachArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model.
    #[arg(
        short, long, value_name = "MODEL", value_parser = models::BY_STATES, help_heading = "Model"
    )]
    pub model: Model,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Threads to search with [default: one per core].
    #[arg(
        short, long, value_name = "N", allow_negative_numbers = true, help_heading = "Search",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write what was reached, with a schedule to replay, to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
}

pub fn run(args: &ReachArgs, output: &mut Output) -> Result<Status, Stop> {
    let options = Options {
        checks: Checks { goals: true, ..Checks::default() },
        workers: config::workers(args.jobs),
        ..Options::new(args.model).by(Strategy::Lazy).within(config::budget(&args.budget)?)
    };
    let config = config::source(&args.source, &options.limits.budget);
    let witness = match WitnessFile::at(args.witness.as_deref(), &config, Checks::default()) {
        Ok(witness) => witness,
        Err(diagnostic) => return Ok(output.refuse(&diagnostic)),
    };
    let loaded = match source::load(&config, output) {
        Ok(source) => source,
        Err(NotLoaded::Refused) => return Ok(Status::Bad),
        Err(NotLoaded::Stopped(spent)) => {
            let (file, program) = (&source::shown(&config), &Verified::default());
            let run = Run { file, program, options: &options };
            return print(args, &run, &ReachResult::unsearched(args.model, spent), output);
        }
    };
    loaded.warn_of_assembly([args.model], output);
    let Source { program, shown: file, .. } = loaded;
    if let Err(diagnostic) = witness.is_apart_from(&program) {
        return Ok(output.refuse(&diagnostic));
    }
    let result = reach::reach(&program, &options);
    let run = Run { file: &file, program: &program, options: &options };
    let reached = result.reached.iter().map(|reached| document::reached(&run, reached));
    witness.save(&program, reached.collect(), output);
    print(args, &run, &result, output)
}

fn print(
    args: &ReachArgs,
    run: &Run<'_>,
    result: &ReachResult,
    output: &mut Output,
) -> Result<Status, Stop> {
    output.note(match result.reachable {
        Some(true) => Status::Violation,
        Some(false) => Status::Fine,
        None => Status::Unknown,
    });
    let sources = Sources::from_disk();
    match args.output.json {
        true => output.print_json(&raddle_report::reach::json(run, result))?,
        false => output.print(&raddle_report::reach::text(run, &output.look(&sources), result))?,
    }
    Ok(output.status())
}
