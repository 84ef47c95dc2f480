//! The `raddle` command: a thin layer over the libraries.
//!
//! | module | subject |
//! |---|---|
//! | [`args`] | what can be written on the command line |
//! | [`config`] | parsed arguments become validated ones, here and nowhere else |
//! | [`models`] | which command takes which memory models |
//! | [`buffer`] | `--buffer-bound` |
//! | [`input`] | finding, reading, parsing and verifying files |
//! | [`source`] | from the files that were named to a program |
//! | [`litmus`], [`check`], [`robust`], [`monitor`], [`reach`], [`fence`], [`replay`], [`mod@print`] | the commands |
//! | [`witness`] | witness files on disk |
//! | [`output`] | standard output and error, broken pipes, colours |
//! | [`status`] | exit statuses |

mod args;
mod buffer;
mod check;
mod config;
mod fence;
mod input;
mod litmus;
mod models;
mod monitor;
mod output;
mod print;
mod reach;
mod replay;
mod robust;
mod source;
mod status;
mod witness;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use output::{Output, Stop};
use status::Status;
use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut output = Output::new();
    let ended = run(&cli, &mut output).and_then(|status| output.flush().map(|()| status));
    let status = match ended {
        Ok(status) => status,
        // Whoever read the output has seen enough.
        Err(Stop::BrokenPipe(status)) => status,
        Err(Stop::Usage(message)) => misused(matches.subcommand_name(), message),
        Err(Stop::Io(error)) => {
            output.complain(&format!("error: cannot write the output: {error}"));
            Status::Bad
        }
    };
    ExitCode::from(status.code())
}

/// Arguments that do not go together: says so, with the usage of the command that was asked for.
fn misused(name: Option<&str>, message: String) -> ! {
    let mut whole = Cli::command();
    whole.build();
    let named = name.and_then(|name| whole.find_subcommand(name).cloned());
    named.unwrap_or(whole).error(ErrorKind::ValueValidation, message).exit()
}

fn run(cli: &Cli, output: &mut Output) -> Result<Status, Stop> {
    match &cli.command {
        Command::Litmus(args) => litmus::run(&config::litmus(args)?, output),
        Command::Check(args) => check::run(&config::check(args)?, output),
        Command::Robust(args) => robust::run(args, output),
        Command::Monitor(args) => monitor::run(args, output),
        Command::Fence(args) => fence::run(args, output),
        Command::Reach(args) => reach::run(args, output),
        Command::Replay(args) => replay::run(args, output),
        Command::Print(args) => print::run(&config::source(&args.source), output),
    }
}
