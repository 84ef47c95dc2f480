//! What can be written on the command line. Help, defaults and completions all derive from here;
//! what the arguments must satisfy together is checked in [`crate::config`].

use crate::buffer::BufferArgs;
use crate::models;
use crate::monitor::MonitorArgs;
use crate::reach::ReachArgs;
use crate::robust::RobustArgs;
use crate::unroll::{self, UnrollArg};
use clap::{Args, Parser, Subcommand, ValueEnum};
use raddle_engine::{Model, Strategy};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  raddle litmus examples/SB.litmus --model sc,tso
  raddle litmus tests/ --model tso --json > results.jsonl
  raddle check prog.c --model tso
  raddle check prog.c queue.c --model sc,tso -- -DFENCE -Iinclude
  raddle check examples/dekker.rir --model pso --keep-going --json
  raddle check prog.c --model sc --check races
  raddle check prog.c --model tso --witness prog.json
  raddle robust prog.c --model tso
  raddle monitor prog.c --runs 1000
  raddle fence prog.c --model tso
  raddle reach peterson.aut --model tso
  raddle replay prog.json
  raddle print prog.c

Exit status:
  0 no violation   1 violation   2 bad input or usage   3 unknown
  130 interrupted (SIGINT)   143 terminated (SIGTERM)   141 nobody reads the output";

/// A model checker for concurrent programs under relaxed memory.
///
/// Runs a program in every way that a memory model allows, once each, and says what can go wrong.
#[derive(Parser, Debug)]
#[command(name = "raddle", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Litmus(LitmusArgs),
    Check(CheckArgs),
    Robust(RobustArgs),
    Monitor(MonitorArgs),
    Fence(crate::fence::FenceArgs),
    Reach(ReachArgs),
    Replay(ReplayArgs),
    Print(PrintArgs),
}

/// Run litmus tests and print the observations.
///
/// A condition that is `~exists` and met, or `forall` and not met, is a violation (exit status 1);
/// an `exists` never is. A file that cannot be read does not stop the others.
#[derive(Args, Debug)]
pub struct LitmusArgs {
    /// Litmus tests, and folders that are searched for *.litmus.
    #[arg(required = true, value_name = "FILE|DIR")]
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
    /// Files to run at the same time [default: one per core].
    #[arg(
        short, long, value_name = "N", allow_negative_numbers = true, help_heading = "Search",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub jobs: Option<u16>,
}

/// Check the assertions of a program, and that it cannot deadlock.
///
/// Also takes litmus tests: what is checked there is the final condition.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub buffers: BufferArgs,
    /// What to look for beside assertions, deadlocks and bad accesses, or several of these.
    #[arg(
        long = "check",
        value_enum,
        value_delimiter = ',',
        value_name = "WHAT",
        help_heading = "Search"
    )]
    pub checks: Vec<CheckArg>,
    #[command(flatten)]
    pub search: SearchArgs,
    /// Go on after the first failure and report every distinct one.
    #[arg(long, help_heading = "Search")]
    pub keep_going: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write what was found, with schedules to replay, to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
}

/// Run the schedules of a witness file again.
///
/// Each must end in the error that it was written for (exit status 1, as when it was found). A
/// program that has changed since, or a schedule that ends in anything else, is bad input.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A file written by `raddle check --witness` or `raddle reach --witness`.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Print a program in the text form of the IR.
#[derive(Args, Debug)]
pub struct PrintArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// What a program is made from, as a command line by itself: witness files hold those.
#[derive(Parser, Debug)]
#[command(name = "raddle")]
pub struct SourceLine {
    #[command(flatten)]
    pub source: SourceArgs,
}

/// What a program is made from.
#[derive(Args, Debug)]
pub struct SourceArgs {
    /// The program: C or C++ (.c, .cpp, .cc), LLVM IR (.ll, .bc), a litmus test (.litmus), automata
    /// (.aut) or IR text (.rir). Several files of C and LLVM IR are linked.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The clang to compile with [default: $CLANG, or the newest on the path].
    #[arg(long, value_name = "PATH", help_heading = "C")]
    pub clang: Option<PathBuf>,
    /// What __VERIFIER_nondet_int and its kin return: any of LO to HI.
    #[arg(
        long, value_name = "LO..HI", default_value = "0..3", value_parser = parse_range,
        allow_hyphen_values = true, help_heading = "C"
    )]
    pub nondet_range: Range,
    /// Waits for a condition variable may end without a signal.
    #[arg(long, help_heading = "C")]
    pub spurious_wakeups: bool,
    /// Flags for clang: -D, -I, -O2 …
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<OsString>,
}

/// Both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

#[derive(Args, Debug)]
pub struct ModelArgs {
    /// The memory model, or several.
    #[arg(
        short,
        long = "model",
        required = true,
        value_delimiter = ',',
        value_name = "MODEL",
        value_parser = models::ANY,
        help_heading = "Model"
    )]
    pub models: Vec<Model>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// How executions are searched [default: optimal; graph under power and arm].
    #[arg(long, value_parser = models::Strategies)]
    pub strategy: Option<Strategy>,
    /// Seed of the random schedules [default: 0].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Number of random schedules [default: 1000].
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub runs: Option<u64>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckArg {
    /// Data races, as C11 has them.
    Races,
}

/// The time and memory that a command may use.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct BudgetArgs {
    /// Stop after this many seconds; fractions are fine. Each program has this long, to be loaded and
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
pub struct LimitArgs {
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Stop after this many executions. Not for searches of states: --strategy lazy, robust --by
    /// attacks, fence --model tso.
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub max_executions: Option<u64>,
    /// Stop a thread after this many visible events in one execution [default: 100000]. Not for
    /// searches of states.
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_events: Option<u32>,
    /// Let each loop go back at most N times; threads that would do it once more are stopped and
    /// reported as a bound. Loops that count in variables of their own and end by themselves are left
    /// alone. FILE:LINE=N bounds the loop at a line, whatever it does. May be repeated.
    #[arg(
        long, value_name = "N|FILE:LINE=N", allow_negative_numbers = true, value_parser = unroll::parse
    )]
    pub unroll: Vec<UnrollArg>,
    /// With --unroll N: bound every loop, also those that end by themselves and those of the library.
    #[arg(long)]
    pub unroll_all: bool,
    /// Exit with 3 when a bound was met, even if nothing was found.
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args, Debug)]
pub struct OutputArgs {
    /// Print JSON, one object a line.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

fn parse_range(word: &str) -> Result<Range, String> {
    let wanted = || "expected two numbers with two points between, such as -1..2".to_owned();
    let (low, high) = word.split_once("..").ok_or_else(wanted)?;
    let number = |digits: &str| digits.trim().parse::<i64>().map_err(|_| wanted());
    let (low, high) = (number(low)?, number(high)?);
    if low > high {
        return Err(format!("{low} is more than {high}"));
    }
    if high.abs_diff(low) >= 1 << 16 {
        return Err("every value is explored; that is more than 65536".to_owned());
    }
    Ok(Range { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn ranges_of_choices() {
        assert_eq!(parse_range("-1..2"), Ok(Range { low: -1, high: 2 }));
        for word in ["3", "3..1", "a..b", "0..99999999"] {
            assert!(parse_range(word).is_err(), "{word}");
        }
    }
}
