//! `raddle fence`.

use crate::args::{LimitArgs, OutputArgs, SourceArgs};
use crate::config;
use crate::models;
use crate::output::{Output, Stop};
use crate::source::{self, NotLoaded};
use crate::status::Status;
use crate::unroll;
use clap::Args;
use raddle_analysis::fence::{Fences, Outcome, Question, Target, Verdict, fences, judge};
use raddle_engine::{Engine, Limits, Model, Options};
use raddle_ir::Verified;
use raddle_patch::{Editor, Written};
use raddle_report::fence::{Asked, json, text};
use raddle_report::source::Sources;
use std::path::{Path, PathBuf};

/// Find the fewest fences that make a program robust: no behaviour beyond sequential consistency.
///
/// Under tso, loops need no bound. The number of fences counts first, then how strong they are.
#[derive(Args, Debug)]
pub struct FenceArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model.
    #[arg(short, long, value_name = "MODEL", value_parser = models::WEAK, help_heading = "Model")]
    pub model: Model,
    /// Make the program's goals unreachable instead; without goals, its failures, and the final
    /// states that its condition is about.
    #[arg(long, help_heading = "Search")]
    pub goal: bool,
    /// Print a patch that puts the fences into the source, for patch -p1 or git apply, and nothing else.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub patch: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

pub fn run(args: &FenceArgs, output: &mut Output) -> Result<Status, Stop> {
    let by_states = "fence --model tso";
    if Engine::Reach.has(args.model) && !args.goal {
        config::refuse_execution_limits(&args.limits, by_states)?;
    }
    let limits = config::limits(&args.limits)?;
    let config = config::source(&args.source, &limits.budget);
    let loaded = match source::load(&config, output) {
        Ok(loaded) => loaded,
        Err(NotLoaded::Refused) => return Ok(Status::Bad),
        Err(NotLoaded::Stopped(spent)) => {
            let (file, program) = (&source::shown(&config), &Verified::default());
            let (question, written) = (&question(args, limits), &Written::nothing());
            let asked = Asked { file, program, question, written };
            return print(args, &asked, &Fences::unsearched(spent), output);
        }
    };
    loaded.warn_of_assembly([args.model], output);
    unroll::check(&loaded.program, &limits.unroll)?;
    // A condition is about executions that end.
    let has_condition = loaded.program.goals.is_empty() && loaded.program.condition.is_some();
    if Engine::Reach.has(args.model) && !has_condition {
        config::refuse_execution_limits(&args.limits, by_states)?;
    }
    let question = question(args, limits);
    let reload = |texts: &[(PathBuf, Vec<u8>)]| match question.options.limits.budget.spent() {
        Some(_) => Err("there is no time left".to_owned()),
        None => source::reload(&config, texts),
    };
    let mut editor =
        Editor::new(source::editable(&config), &reload, &question.options.limits.budget);
    let program = &loaded.program;
    let result = fences(program, &question, |places| editor.prices(program, places));
    let written = match &result.outcome {
        Outcome::Fences(fences) => {
            editor.write(program, fences, &|edited| judge(edited, &question))
        }
        // A set that could not be judged as it is cannot be in another form.
        Outcome::Unknown(why) => {
            editor.write(program, &result.candidate, &|_| Verdict::Unknown(why.clone()))
        }
        Outcome::Hopeless(_) => Written::nothing(),
    };
    let asked = Asked { file: &loaded.shown, program, question: &question, written: &written };
    print(args, &asked, &result, output)
}

fn question(args: &FenceArgs, limits: Limits) -> Question {
    let target = if args.goal { Target::Goals } else { Target::Robust };
    let options = Options { limits, workers: config::workers(None), ..Options::new(args.model) };
    Question { target, options }
}

fn print(
    args: &FenceArgs,
    asked: &Asked<'_>,
    result: &Fences,
    output: &mut Output,
) -> Result<Status, Stop> {
    output.note(match &result.outcome {
        Outcome::Fences(_) => Status::Fine,
        Outcome::Hopeless(_) => Status::Violation,
        Outcome::Unknown(_) => Status::Unknown,
    });
    if args.patch {
        return patch(asked, result, output);
    }
    let shown = match args.output.json {
        true => raddle_report::json::line(&json(asked, result)),
        false => text(asked, &output.look(&Sources::from_disk()), result),
    };
    output.print(&shown)?;
    Ok(output.status())
}

/// The patch alone, if there is one that makes the program what was asked for; otherwise the report goes
/// to standard error.
fn patch(asked: &Asked<'_>, result: &Fences, output: &mut Output) -> Result<Status, Stop> {
    let needed = matches!(&result.outcome, Outcome::Fences(fences) if !fences.is_empty());
    if needed && asked.written.checked.is_some() {
        let folder = std::env::current_dir().map_err(Stop::Io)?;
        let patch = asked.written.patch(&folder);
        output.print_bytes(&patch.text)?;
        if let Some(folder) = patch.elsewhere {
            output.complain(&format!("note: {}", elsewhere(&folder)));
        }
        return Ok(output.status());
    }
    let shown = text(asked, &output.look(&Sources::from_disk()), result);
    output.complain(shown.trim_end());
    if needed {
        let why = match asked.question.options.limits.budget.spent() {
            Some(_) => "the search for edits was cut short",
            None => "not every fence can be written as an edit",
        };
        output.complain(&format!("error: {why}: there is no patch"));
        output.note(Status::Unknown);
    }
    Ok(output.status())
}

/// How a patch is applied to files that are not in the current folder.
fn elsewhere(folder: &Path) -> String {
    let name = folder.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    let name = match name.chars().all(plain) {
        true => name.into_owned(),
        false => format!("'{}'", name.replace('\'', "'\\''")),
    };
    format!("the patch names files from {name}: patch -p1 -d {name}, or git -C {name} apply")
}
