//! `raddle robust`.

use crate::args::{LimitArgs, OutputArgs, SourceArgs};
use crate::config::{self, SourceConfig};
use crate::input;
use crate::models;
use crate::output::{Output, Stop};
use crate::source::{self, NotLoaded};
use crate::status::Status;
use crate::unroll;
use clap::{Args, ValueEnum};
use raddle_analysis::robust::{By, Robustness, robust};
use raddle_engine::{Limits, Model};
use raddle_ir::Verified;
use raddle_report::json;
use raddle_report::robust::{Subject, json as answer, text};
use raddle_report::source::Sources;

/// Say whether a memory model shows anything that sequential consistency does not.
///
/// Robust (exit status 0): every trace under the model is one under sc, so whatever holds under sc
/// holds under the model. Not robust (1): with a witness, the store that is delayed, what overtakes
/// it, the cycle, and where a fence would cut it. Files of C and LLVM IR are linked; several files of
/// other kinds are programs of their own.
#[derive(Args, Debug)]
pub struct RobustArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model, or both.
    #[arg(
        short, long = "model", required = true, value_delimiter = ',', value_name = "MODEL",
        value_parser = models::BUFFERED, help_heading = "Model"
    )]
    pub models: Vec<Model>,
    /// How to decide it [default: the fastest way that is complete; attacks for automata].
    #[arg(long, value_enum, value_name = "WAY", help_heading = "Search")]
    pub by: Option<ByArg>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByArg {
    /// Explore sc, and see in each trace what a delayed store could do.
    Monitor,
    /// Explore the model, and look for traces with a cycle.
    Cycles,
    /// Explore both, and compare the numbers of traces.
    Count,
    /// Search states under sc with one store delayed; for loops that need not end. Only for tso.
    Attacks,
}

/// The programs that files make: those that are compiled make one together.
pub fn programs(config: SourceConfig) -> Vec<SourceConfig> {
    if config.files.iter().any(|file| source::is_compiled(file)) {
        return vec![config];
    }
    let SourceConfig { files, c } = config;
    files.into_iter().map(|file| SourceConfig { files: vec![file], c: c.clone() }).collect()
}

pub fn run(args: &RobustArgs, output: &mut Output) -> Result<Status, Stop> {
    let limits = config::limits(&args.limits)?;
    if args.by == Some(ByArg::Attacks) && args.models.iter().any(|model| *model != Model::Tso) {
        let why = "--by attacks is for tso; under pso take monitor, cycles or count";
        return Err(Stop::Usage(why.to_owned()));
    }
    if args.by == Some(ByArg::Attacks) {
        config::refuse_execution_limits(&args.limits, "--by attacks")?;
    }
    for mut program in programs(config::source(&args.source, &limits.budget)) {
        let limits = Limits { budget: limits.budget.afresh(), ..limits.clone() };
        program.c.budget = limits.budget.clone();
        run_program(args, &limits, &program, output)?;
    }
    Ok(output.status())
}

fn run_program(
    args: &RobustArgs,
    limits: &Limits,
    config: &SourceConfig,
    output: &mut Output,
) -> Result<(), Stop> {
    let loaded = source::load(config, output);
    if loaded.as_ref().err() == Some(&NotLoaded::Refused) {
        output.note(Status::Bad);
        return Ok(());
    }
    let by = args.by.map(|by| match by {
        ByArg::Monitor => By::Monitor,
        ByArg::Cycles => By::Cycles,
        ByArg::Count => By::Count,
        ByArg::Attacks => By::Attacks,
    });
    if let Ok(source) = &loaded {
        unroll::check(&source.program, &limits.unroll)?;
        source.warn_of_assembly(args.models.iter().copied(), output);
    }
    let unloaded = &Verified::default();
    let program = loaded.as_ref().map_or(unloaded, |source| &source.program);
    let subject = Subject { file: &source::shown(config), program };
    let sources = Sources::from_disk();
    // Automata are loops that never end, which executions are no way to look at.
    let endless = matches!(&*config.files, [file] if input::is_automata(file));
    for (n, model) in args.models.iter().enumerate() {
        let budget = limits.budget.share(args.models.len() - n);
        let limits = &Limits { budget, ..limits.clone() };
        let by = by.or((endless && *model == Model::Tso).then_some(By::Attacks));
        if by == Some(By::Attacks) {
            let what = "--by attacks, the default for automata,";
            config::refuse_execution_limits(&args.limits, what)?;
        }
        let found = match loaded {
            Err(NotLoaded::Stopped(spent)) => Robustness::unsearched(*model, by, spent),
            _ => robust(program, *model, limits, by),
        };
        output.note(match found.robust {
            Some(true) => Status::Fine,
            Some(false) => Status::Violation,
            None => Status::Unknown,
        });
        let shown = match args.output.json {
            true => json::line(&answer(&subject, &found)),
            false => text(&subject, output.look(&sources).colour, &found),
        };
        output.print(&shown)?;
    }
    Ok(())
}
