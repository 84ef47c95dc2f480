//! The definitions of the command line. Help, defaults, completions and man pages derive from them;
//! conditions that involve several arguments are checked in [`crate::config`].
//!
//! | module | subject |
//! |---|---|
//! | [`commands`] | the arguments of each command |
//! | [`matrix`], [`doctor`] | those of `raddle matrix` and `raddle doctor` |
//! | [`shared`] | groups of arguments that several commands have |
//! | [`models`] | the models and strategies, and which command takes which |
//! | [`kinds`] | the kinds of errors: which are checked, and which single ones are known |
//! | [`values`] | values with a syntax of their own |

pub(crate) mod commands;
pub(crate) mod doctor;
pub(crate) mod kinds;
pub(crate) mod matrix;
mod models;
pub(crate) mod shared;
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

const EXAMPLES: &str = "\
Examples:
  raddle litmus examples/SB.litmus --model sc,tso
  raddle litmus tests/ --model tso --json > results.jsonl
  raddle check prog.c --model tso
  raddle check prog.c queue.c --model sc,tso -- -DFENCE -Iinclude
  raddle check examples/dekker.rir --model pso --keep-going --json
  raddle check prog.c --model sc --check races
  raddle check prog.c --model tso --witness prog.json
  raddle matrix prog.c --fences
  raddle robust prog.c --model tso
  raddle monitor prog.c --runs 1000
  raddle fence prog.c --model tso
  raddle reach peterson.aut --model tso
  raddle replay prog.json
  raddle print prog.c";

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
    Check(CheckArgs),
    Matrix(MatrixArgs),
    Robust(RobustArgs),
    Monitor(MonitorArgs),
    Fence(FenceArgs),
    Reach(ReachArgs),
    Replay(ReplayArgs),
    Print(PrintArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

fn after_help() -> String {
    let statuses = [Status::Fine, Status::Violation, Status::Bad, Status::Unknown];
    let ended: Vec<String> = statuses.map(|s| format!("{} {}", s.code(), s.about())).into();
    let signals = [(SIGINT, "interrupted (SIGINT)"), (SIGTERM, "terminated (SIGTERM)")];
    let signals = signals.map(|(signal, about)| format!("{} {about}", status::interrupted(signal)));
    let unread = format!("{} {}", Status::Unread.code(), Status::Unread.about());
    let stopped = [&signals[..], &[unread]].concat();
    format!("{EXAMPLES}\n\nExit status:\n  {}\n  {}", ended.join("   "), stopped.join("   "))
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
