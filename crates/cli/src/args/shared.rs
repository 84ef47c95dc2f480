//! Groups of arguments that several commands have.

use super::models;
use super::values::{BufferBound, Range, UnrollArg};
use clap::{Args, Parser};
use raddle_engine::{Limits, Model, Sampling, Strategy};
use raddle_front_c::Stub;
use raddle_ir::FileKind;
use std::ffi::OsString;
use std::path::PathBuf;

/// The source of a program as a command line by itself: witness files hold those.
#[derive(Parser, Debug)]
#[command(name = "raddle", disable_help_flag = true)]
pub(crate) struct SourceCommand {
    #[command(flatten)]
    pub source: SourceArgs,
}

/// The files and options that a program is made from.
#[derive(Args, Debug)]
pub(crate) struct SourceArgs {
    #[arg(required = true, value_name = "FILE", help = files_help())]
    pub files: Vec<PathBuf>,
    /// The clang to compile with [default: $CLANG, or the newest on the path].
    #[arg(long, value_name = "PATH", help_heading = "C")]
    pub clang: Option<PathBuf>,
    /// The values that __VERIFIER_nondet_int and similar functions return: any of LO to HI.
    #[arg(
        long,
        value_name = "LO..HI",
        default_value_t,
        allow_hyphen_values = true,
        help_heading = "C"
    )]
    pub nondet_range: Range,
    /// Waits for a condition variable may end without a signal.
    #[arg(long, help_heading = "C")]
    pub spurious_wakeups: bool,
    /// Stand in for a function that is declared and not defined. WHAT is a number to return, nothing,
    /// any (of --nondet-range) or abort (to call it is an error). May be repeated.
    #[arg(long = "stub", value_name = "NAME=WHAT", help_heading = "C")]
    pub stubs: Vec<Stub>,
    /// Flags for clang: -D, -I, -O2 …
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<OsString>,
}

fn files_help() -> String {
    let kinds = FileKind::described(FileKind::is_program);
    format!("The program: {kinds}. Several files of C, C++ and LLVM are linked")
}

#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    /// The memory model, or several.
    #[arg(
        short, long = "model", required = true, value_delimiter = ',', value_name = "MODEL",
        value_parser = models::ANY, help_heading = "Model"
    )]
    pub models: Vec<Model>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct BufferArgs {
    #[arg(
        long, value_name = "K|iterate", allow_negative_numbers = true,
        help = models::buffer_bound_help()
    )]
    pub buffer_bound: Option<BufferBound>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    #[arg(long, value_parser = models::Strategies, help = models::strategy_help())]
    pub strategy: Option<Strategy>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct SamplingArgs {
    #[arg(
        long, value_name = "S", allow_negative_numbers = true,
        help = format!("Seed of the random schedules [default: {}]", Sampling::default().seed)
    )]
    pub seed: Option<u64>,
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..),
        help = format!("Number of random schedules [default: {}]", Sampling::default().runs)
    )]
    pub runs: Option<u64>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub(crate) struct JobsArgs {
    /// The number of cores to use [default: all]. Results do not depend on it.
    #[arg(
        short, long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub jobs: Option<u16>,
}

/// The time and memory that a command may use.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct BudgetArgs {
    /// Stop after this many seconds, or a fraction of one. Each program has this long, to be loaded and
    /// for all models together.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Stop when raddle holds this much memory [default: half of the machine's].
    #[arg(
        long, value_name = "MIB", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub max_memory: Option<u64>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..), help = max_executions_help()
    )]
    pub max_executions: Option<u64>,
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..), help = max_events_help()
    )]
    pub max_events: Option<u32>,
    /// Let each loop go back at most N times; threads that would do it once more are stopped and
    /// reported as a bound. Loops that count in variables of their own and end by themselves are left
    /// alone. FILE:LINE=N bounds the loop at a line, whatever it does. May be repeated.
    #[arg(long, value_name = "N|FILE:LINE=N", allow_negative_numbers = true)]
    pub unroll: Vec<UnrollArg>,
    /// With --unroll N: bound every loop, also those that end by themselves and those of the library.
    #[arg(long)]
    pub unroll_all: bool,
    /// Exit with 3 when a bound was met, even if nothing was found.
    #[arg(long)]
    pub strict: bool,
}

fn max_executions_help() -> String {
    let searches = models::searches_of_states();
    format!("Stop after this many executions. Not for searches of states: {searches}")
}

fn max_events_help() -> String {
    let most = Limits::default().events;
    format!(
        "Stop a thread after this many visible events in one execution [default: {most}]. Not for \
         searches of states"
    )
}

impl LimitArgs {
    /// The first option given that only searches of executions heed.
    pub(crate) fn of_executions(&self) -> Option<&'static str> {
        let given = [
            ("--max-executions", self.max_executions.is_some()),
            ("--max-events", self.max_events.is_some()),
            ("--unroll", !self.unroll.is_empty()),
            ("--unroll-all", self.unroll_all),
        ];
        given.into_iter().find_map(|(option, given)| given.then_some(option))
    }
}

/// How progress is shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct ProgressArgs {
    /// Print a line about the progress to standard error every so many seconds, instead of one line
    /// that changes on a terminal.
    #[arg(
        long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        default_missing_value = "30"
    )]
    pub progress: Option<f64>,
}

/// Files that a search is kept in.
#[derive(Args, Debug)]
#[command(next_help_heading = "Stop and go on")]
pub(crate) struct KeepArgs {
    /// Save what is left of the search in this file: from time to time, and when a limit or a signal ends it.
    #[arg(long, value_name = "FILE", conflicts_with = "estimate")]
    pub checkpoint: Option<PathBuf>,
    /// Save it every so many seconds [default: 60].
    #[arg(long, value_name = "SECONDS", requires = "checkpoint")]
    pub every: Option<f64>,
    /// Go on with the search that is in this file, to the same totals.
    #[arg(long, value_name = "FILE", conflicts_with = "estimate")]
    pub resume: Option<PathBuf>,
    /// Write the search, which has not begun, to this file for raddle slice, and nothing else.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["checkpoint", "resume", "estimate"])]
    pub frontier: Option<PathBuf>,
}

/// The size of a search instead of its result.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct EstimateArgs {
    /// Tell how many executions the search is going to visit and how long it will take, after so many
    /// seconds. No verdict; exit status 0.
    #[arg(
        long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        default_missing_value = "3",
        conflicts_with_all = ["html", "dot"]
    )]
    pub estimate: Option<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct OutputArgs {
    /// Print JSON, one object a line.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Files for people, beside the output.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct FilesArgs {
    /// Write a page for a browser to this file: the witness step by step, beside the source.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the graph of each witness to this file, as Graphviz text.
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct StoryArgs {
    /// Show every step of a witness; by default, repeated and less important steps are folded.
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub all_steps: bool,
    /// Show the calls that lead to each step of a witness.
    #[arg(long, help_heading = "Output")]
    pub calls: bool,
}

impl FilesArgs {
    /// Each file with its option.
    pub(crate) fn named(&self) -> [(&'static str, &Option<PathBuf>); 2] {
        [("--html", &self.html), ("--dot", &self.dot)]
    }
}

/// Files for other tools.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct ReportArgs {
    /// Write the findings as SARIF 2.1.0, for code scanning, to this file.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the results as JUnit's XML, for test reports, to this file.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

impl ReportArgs {
    /// Each file with its option.
    pub(crate) fn named(&self) -> [(&'static str, &Option<PathBuf>); 2] {
        [("--sarif", &self.sarif), ("--junit", &self.junit)]
    }
}
