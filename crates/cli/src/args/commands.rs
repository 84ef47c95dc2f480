//! The arguments of each command.

use super::kinds::KindArgs;
use super::models;
use super::shared::{
    BudgetArgs, BufferArgs, EstimateArgs, FilesArgs, JobsArgs, KeepArgs, LimitArgs, ModelArgs,
    OutputArgs, ProgressArgs, ReportArgs, SamplingArgs, SearchArgs, SourceArgs, StoryArgs,
};
use clap::{Args, ValueEnum, ValueHint};
use clap_complete::Shell;
use raddle_engine::Model;
use raddle_ir::FileKind;
use std::path::PathBuf;

/// Run litmus tests and print the observations.
///
/// A condition that is `~exists` and met, or `forall` and not met, is a violation (exit status 1);
/// an `exists` never is. A file that cannot be read does not stop the others.
#[derive(Args, Debug)]
pub(crate) struct LitmusArgs {
    #[arg(
        required = true, value_name = "FILE|DIR",
        help = format!("Litmus tests, and folders that are searched for *{}", FileKind::Litmus.ending())
    )]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub buffers: BufferArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
}

/// Check the assertions of a program, and that it cannot deadlock.
///
/// Of a litmus test, the final condition is checked.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub buffers: BufferArgs,
    #[command(flatten)]
    pub kinds: KindArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// Go on after the first failure and report every distinct one.
    #[arg(long, help_heading = "Search")]
    pub keep_going: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub files: FilesArgs,
    #[command(flatten)]
    pub story: StoryArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub estimate: EstimateArgs,
    #[command(flatten)]
    pub keep: KeepArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Take the checks, options and suppressions of this file [default: raddle.toml in this folder, or above
    /// it in the repository].
    #[arg(long, value_name = "FILE", help_heading = "Project")]
    pub config: Option<PathBuf>,
    /// Ignore raddle.toml.
    #[arg(long, conflicts_with = "config", help_heading = "Project")]
    pub no_config: bool,
    /// Write the violations, with schedules to replay, to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "estimate")]
    pub witness: Option<PathBuf>,
}

/// Decide whether a memory model shows anything that sequential consistency does not.
///
/// Robust (exit status 0): every trace under the model is one under sc, so whatever holds under sc
/// holds under the model. Not robust (1): with a witness, the store that is delayed, the access that
/// overtakes it, the cycle, and where a fence would cut it. Files of C, C++ and LLVM are linked; several
/// files of other kinds are programs of their own.
#[derive(Args, Debug)]
pub(crate) struct RobustArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model, or several.
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
    #[command(flatten)]
    pub files: FilesArgs,
    #[command(flatten)]
    pub story: StoryArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub estimate: EstimateArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ByArg {
    /// Explore sc, and see in each trace what a delayed store could do.
    Monitor,
    /// Explore the model, and look for traces with a cycle.
    Cycles,
    /// Explore both, and compare the numbers of traces.
    Count,
    #[value(help = models::attacks_help())]
    Attacks,
}

/// Run the monitors of tso and pso on a recorded log, or on random runs of a program under sc.
///
/// A violation (exit status 1) is an access that another thread's store could have been delayed past:
/// the program is not robust. That none was seen on some runs proves nothing; `raddle robust` does.
/// A file that is not a program by its extension is a log (docs/monitor.md); `-` is a log from standard
/// input.
#[derive(Args, Debug)]
pub(crate) struct MonitorArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model, or several.
    #[arg(
        short, long = "model", default_value = models::monitored(), value_delimiter = ',',
        value_name = "MODEL", value_parser = models::BUFFERED, help_heading = "Model"
    )]
    pub models: Vec<Model>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    /// The stores that a read-modify-write of a program waits for under pso.
    #[arg(long, value_enum, default_value_t, value_name = "STORES", help_heading = "Model")]
    pub interlocked: InterlockedArg,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum InterlockedArg {
    /// All earlier stores of its thread, as under `raddle check --model pso`.
    #[default]
    All,
    /// Those to its own address, as in paper 001.
    Address,
}

/// Find the fewest fences that make a program robust: no behaviour beyond sequential consistency.
///
/// Under tso, loops need no bound. The number of fences counts first, then how strong they are.
#[derive(Args, Debug)]
pub(crate) struct FenceArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model.
    #[arg(short, long, value_name = "MODEL", value_parser = models::WEAK, help_heading = "Model")]
    pub model: Model,
    /// Make the program's goals unreachable instead; without goals, its failures, and the final
    /// states that its condition is about.
    #[arg(long, help_heading = "Search")]
    pub goal: bool,
    /// Put no fence into this file or function; may be repeated. A file is named by the last parts of its path, a
    /// function of C++ with or without its classes, and without template arguments.
    #[arg(long, value_name = "FILE|FUNCTION", help_heading = "Search")]
    pub avoid: Vec<String>,
    /// Print a patch that puts the fences into the source, for patch -p1 or git apply, and nothing else.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub patch: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write a page for a browser to this file: the fences, their reasons, and the patch.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub reports: ReportArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// Decide whether a program can reach one of its goals; without goals, whether it can fail.
///
/// For programs with loops that need not end, over finite data: every state is visited once. Under tso,
/// store buffers are added only where robustness fails. A goal that can be reached is not an error by
/// itself, but has the exit status of one (1); 0 means that it cannot be reached.
#[derive(Args, Debug)]
pub(crate) struct ReachArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The memory model.
    #[arg(
        short, long, value_name = "MODEL", value_parser = models::BY_STATES, help_heading = "Model"
    )]
    pub model: Model,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub files: FilesArgs,
    #[command(flatten)]
    pub story: StoryArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Write the goal that was reached, with a schedule to replay, to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
}

/// Run the schedules of a witness file again.
///
/// Each must end in the error that it was written for (exit status 1, as when it was found). A
/// program that has changed since, or a schedule that ends in anything else, is bad input.
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A file written by `raddle check --witness` or `raddle reach --witness`.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub story: StoryArgs,
}

/// Print a program in the text form of the IR.
#[derive(Args, Debug)]
pub(crate) struct PrintArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// Print the completions of a shell.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print the man page, or write those of all commands.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder to write raddle.1 and a page for each command to.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}
