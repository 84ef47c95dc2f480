//! The definitions of the command line. Help, defaults, completions and man pages derive from them;
//! conditions that involve several arguments are checked in [`crate::config`].
//!
//! | module | subject |
//! |---|---|
//! | [`commands`] | the arguments of each command |
//! | [`matrix`], [`mod@slice`], [`doctor`] | those of `raddle matrix`, `raddle slice` and `raddle doctor` |
//! | [`shared`] | groups of arguments that several commands have |
//! | [`models`] | the models and strategies, and which command takes which |
//! | [`kinds`] | the kinds of errors: which are checked, and which single ones are known |
//! | [`values`] | values with a syntax of their own |
//! | `reference` | the command reference of the book, in tests |

pub(crate) mod commands;
pub(crate) mod doctor;
pub(crate) mod kinds;
pub(crate) mod matrix;
mod models;
#[cfg(test)]
mod reference;
pub(crate) mod shared;
pub(crate) mod slice;
pub(crate) mod values;

use crate::status::{self, Status};
use clap::{Parser, Subcommand};
use commands::{
    CheckArgs, CompletionsArgs, FenceArgs, LitmusArgs, ManArgs, MonitorArgs, PrintArgs, ReachArgs,
    ReplayArgs, RobustArgs,
};
use doctor::DoctorArgs;
use matrix::MatrixArgs;
use signal_hook::consts::{SIGINT, SIGTERM};
use slice::SliceArgs;

pub(crate) const EXAMPLES: [&str; 16] = [
    "raddle litmus examples/SB.litmus --model sc,tso",
    "raddle litmus tests/ --model tso --json > results.jsonl",
    "raddle check prog.c --model tso",
    "raddle check prog.c queue.c --model sc,tso -- -DFENCE -Iinclude",
    "raddle check examples/dekker.rir --model pso --keep-going --json",
    "raddle check prog.c --model sc --check races",
    "raddle check prog.c --model tso --witness prog.json",
    "raddle matrix prog.c --fences",
    "raddle robust prog.c --model tso",
    "raddle monitor prog.c --runs 1000",
    "raddle fence prog.c --model tso",
    "raddle reach peterson.aut --model tso",
    "raddle check prog.c --model power --checkpoint prog.raddle",
    "raddle slice prog.raddle --seconds 60 --parts 8 -o parts",
    "raddle replay prog.json",
    "raddle print prog.c",
];

/// A model checker for concurrent programs under relaxed memory.
///
/// Runs a program in every way that a memory model allows, once each, and reports what can go wrong.
#[derive(Parser, Debug)]
#[command(name = "raddle", version, after_help = after_help(), max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Litmus(LitmusArgs),
    Check(Box<CheckArgs>),
    Matrix(MatrixArgs),
    Robust(RobustArgs),
    Monitor(MonitorArgs),
    Fence(FenceArgs),
    Reach(ReachArgs),
    Replay(ReplayArgs),
    Slice(SliceArgs),
    Print(PrintArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

fn after_help() -> String {
    let [fine, violation, bad, unknown, stopped @ ..] = statuses();
    let line = |statuses: &[(u8, &str)]| {
        let shown: Vec<String> =
            statuses.iter().map(|(code, about)| format!("{code} {about}")).collect();
        shown.join("   ")
    };
    let ended = line(&[fine, violation, bad, unknown]);
    let examples = EXAMPLES.map(|example| format!("  {example}\n")).concat();
    format!("Examples:\n{examples}\nExit status:\n  {ended}\n  {}", line(&stopped))
}

/// Every exit status, in the order of its number.
pub(crate) fn statuses() -> [(u8, &'static str); 7] {
    let of = |status: Status| (status.code(), status.about());
    let by = |signal, about| (status::interrupted(signal), about);
    [
        of(Status::Fine),
        of(Status::Violation),
        of(Status::Bad),
        of(Status::Unknown),
        by(SIGINT, "interrupted (SIGINT)"),
        of(Status::Unread),
        by(SIGTERM, "terminated (SIGTERM)"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
