//! `raddle fence`.

use crate::args::{LimitArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::models;
use crate::output::{Output, Stop};
use crate::reach;
use crate::source::{self, NotLoaded};
use crate::status::Status;
use clap::Args;
use raddle_analysis::fence::{Fences, Outcome, Question, Target, WeakModel, fences};
use raddle_engine::Limits;
use raddle_ir::Program;
use raddle_report::fence::{Asked, json, text};
use raddle_report::source::Sources;

/// Find the fewest fences that make a program robust: no behaviour beyond sequential consistency.
///
/// Under tso, loops need no bound. The number of fences counts first, then how strong they are.
#[derive(Args, Debug)]
pub struct FenceArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model.
    #[arg(short, long, value_name = "MODEL", value_parser = models::WEAK, help_heading = "Model")]
    pub model: WeakModel,
    /// Make the program's goals unreachable instead; without goals, its failures, and the final
    /// states that its condition is about.
    #[arg(long, help_heading = "Search")]
    pub goal: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &FenceArgs, output: &mut Output) -> Result<Status, Stop> {
    let limits = config::limits(&args.limits)?;
    let config = config::source(&args.source, &limits.budget);
    let loaded = match source::load(&config, output) {
        Ok(loaded) => loaded,
        Err(NotLoaded::Refused) => return Ok(Status::Bad),
        Err(NotLoaded::Stopped(spent)) => {
            let (file, program) = (&source::shown(&config), &Program::default());
            let asked = Asked { file, program, question: &question(args, limits) };
            return print(args, &asked, &Fences::unsearched(spent), output);
        }
    };
    loaded.warn_of_assembly([args.model.among_all()], output);
    let question = question(args, limits);
    let result = fences(&loaded.program, &question);
    let asked = Asked { file: &loaded.shown, program: &loaded.program, question: &question };
    print(args, &asked, &result, output)
}

fn question(args: &FenceArgs, limits: Limits) -> Question {
    let target = if args.goal { Target::Goals } else { Target::Robust };
    Question { model: args.model, target, limits, workers: reach::workers(None) }
}

fn print(
    args: &FenceArgs,
    asked: &Asked<'_>,
    result: &Fences,
    output: &mut Output,
) -> Result<Status, Stop> {
    let shown = match args.output.json {
        true => raddle_report::json::line(&json(asked, result)),
        false => text(asked, &output.look(&Sources::from_disk()), result),
    };
    output.print(&shown)?;
    output.note(match &result.outcome {
        Outcome::Fences(_) => Status::Fine,
        Outcome::Hopeless(_) => Status::Violation,
        Outcome::Unknown(_) => Status::Unknown,
    });
    Ok(output.status())
}
