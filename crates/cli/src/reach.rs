//! `raddle reach`: its arguments, and what it does.

use crate::args::{BudgetArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::models;
use crate::output::{Output, Stop};
use crate::source::{self, Source};
use crate::status::Status;
use crate::witness;
use clap::Args;
use raddle_analysis::{Search, reach};
use raddle_engine::Checks;
use raddle_interleave::Options as Exploration;
use raddle_reach::{Options, ReachModel};
use raddle_report::source::Sources;
use raddle_report::{Run, document, json};
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
    pub model: ReachModel,
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

/// As many workers as there are cores, unless told otherwise.
pub fn workers(jobs: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(cores, usize::from)
}

pub fn run(args: &ReachArgs, output: &mut Output) -> Result<Status, Stop> {
    let options = Options {
        budget: config::budget(&args.budget)?,
        workers: workers(args.jobs),
        ..Options::default()
    };
    let config = config::source(&args.source);
    let loaded = source::load(&config, output);
    let Some(Source { program, shown: file, .. }) = loaded else { return Ok(Status::Bad) };
    let result = reach::reach(&program, args.model, &options);
    output.note(match result.reachable {
        Some(true) => Status::Violation,
        Some(false) => Status::Fine,
        None => Status::Unknown,
    });
    let search = Search::Lazy(Exploration::new(reach::replayed_under(args.model)));
    let run = Run { file: &file, program: &program, search: &search };
    if let Some(path) = &args.witness {
        let reached = result.reached.iter().map(|reached| document::reached(&run, reached));
        let (origin, checks) = (config.origin(), Checks::default());
        witness::save(path, &program, &origin, checks, reached.collect(), output);
    }
    let sources = Sources::from_disk();
    let text = match args.output.json {
        true => json::line(&raddle_report::reach::json(&run, &result)),
        false => raddle_report::reach::text(&run, &output.look(&sources), &result),
    };
    output.print(&text)?;
    Ok(output.status())
}
