//! The `raddle` command: a thin layer over the libraries.
//!
//! | module | subject |
//! |---|---|
//! | [`args`] | the definitions of the command line |
//! | [`config`] | parsed arguments become validated ones, here and nowhere else |
//! | [`input`] | finding, reading, parsing and verifying files |
//! | [`source`] | from the files that were named to a program |
//! | [`litmus`], [`check`], [`matrix`], [`robust`], [`monitor`], [`reach`], [`fence`], [`replay`], [`mod@slice`], [`mod@print`], [`doctor`] | the commands |
//! | [`completions`], [`man`] | completions for shells and man pages, from the definitions in [`args`] |
//! | [`project`] | `raddle.toml`: the checks of a project |
//! | [`unroll`] | whether the program has the loops that are bounded |
//! | [`undefined`] | the warning about functions that nobody defines |
//! | [`stream`] | logs that may never end |
//! | [`reports`] | reports for other tools: SARIF and JUnit |
//! | [`witness`], [`pages`], [`destination`] | witness files; pages and graphs; files that are written |
//! | [`signals`] | SIGINT and SIGTERM |
//! | [`closed`] | whether there is a standard output |
//! | [`heap`] | how the allocator treats large blocks |
//! | [`keep`] | searches that are stopped and gone on with |
//! | [`progress`] | the progress of a command, on standard error |
//! | [`mod@estimate`] | the size of a search instead of its result |
//! | [`output`] | standard output and error, broken pipes, colours |
//! | [`status`] | exit statuses |

mod args;
mod check;
mod closed;
mod completions;
mod config;
mod destination;
mod doctor;
mod estimate;
mod fence;
mod heap;
mod input;
mod keep;
mod litmus;
mod man;
mod matrix;
mod monitor;
mod output;
mod pages;
mod print;
mod progress;
mod project;
mod reach;
mod replay;
mod reports;
mod robust;
mod signals;
mod slice;
mod source;
mod status;
mod stream;
mod undefined;
mod unroll;
mod witness;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use output::{Output, Stop};
use project::ProjectCheck;
use reports::Reports;
use status::Status;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    heap::map_large_blocks();
    signals::watch();
    let mut output = Output::new();
    let ended = run(&mut output);
    output.unfollow();
    if let (Ok(_), Some(signal)) = (&ended, signals::received()) {
        return ExitCode::from(status::interrupted(signal));
    }
    let status = match ended {
        Ok(status) => status,
        // The reader of the output has seen enough: not a failure.
        Err(Stop::BrokenPipe) => Status::Unread,
        Err(Stop::Refused) => Status::Bad,
        Err(Stop::Usage(message)) => misused(message),
        Err(Stop::Io(error)) => {
            output.complain(&format!("error: cannot write to standard output: {error}"));
            Status::Bad
        }
    };
    ExitCode::from(status.code())
}

fn run(output: &mut Output) -> Result<Status, Stop> {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(lines) = project_lines(&words, output)? {
        writable()?;
        let status = match check::project(&lines, output) {
            Err(Stop::Refused) => output.status(),
            ended => ended?,
        };
        return output.flush().map(|()| status);
    }
    let matches = match Cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => error.exit(),
        // Help, or the version, which were asked for.
        Err(shown) => {
            writable()?;
            output::stop_on_error(shown.print())?;
            return output.flush().map(|()| Status::Fine);
        }
    };
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    writable()?;
    let status = match command(&cli, output) {
        Err(Stop::Refused) => output.status(),
        ended => ended?,
    };
    output.flush().map(|()| status)
}

/// The checks of `raddle.toml`, if the command is for them.
fn project_lines(
    words: &[OsString],
    output: &mut Output,
) -> Result<Option<Vec<ProjectCheck>>, Stop> {
    match words.get(1) {
        Some(command) if command == "check" => project::lines(words, output),
        _ => Ok(None),
    }
}

/// Refuses to search if the results would be lost because the output is closed.
fn writable() -> Result<(), Stop> {
    match closed::standard_output() {
        true => Err(Stop::Io(std::io::Error::other("it is closed"))),
        false => Ok(()),
    }
}

/// Arguments that do not go together: says so, with the usage of the command that was asked for.
fn misused(message: String) -> ! {
    let mut whole = Cli::command();
    whole.build();
    let name = std::env::args_os().nth(1);
    let named = name.and_then(|name| whole.find_subcommand(name).cloned());
    named.unwrap_or(whole).error(ErrorKind::ValueValidation, message).exit()
}

fn command(cli: &Cli, output: &mut Output) -> Result<Status, Stop> {
    output.calls = match &cli.command {
        Command::Reach(args) => args.story.calls,
        Command::Replay(args) => args.story.calls,
        Command::Robust(args) => args.story.calls,
        _ => false,
    };
    match &cli.command {
        Command::Litmus(args) => {
            let config = config::litmus(args)?;
            let reports = Reports::at(&args.reports, "litmus", &args.paths, output)?;
            reports.after(output, |reports, output| litmus::run(&config, reports, output))
        }
        Command::Check(args) => {
            let config = config::check(args)?;
            let reports = Reports::at(&args.reports, "check", &args.source.files, output)?;
            reports.after(output, |reports, output| check::run(&config, reports, output))
        }
        Command::Matrix(args) => {
            let config = config::matrix(args)?;
            let none = args::shared::ReportArgs::default();
            let reports = Reports::at(&none, "matrix", &args.source.files, output)?;
            reports.after(output, |reports, output| matrix::run(&config, reports, output))
        }
        Command::Robust(args) => {
            let config = config::robust(args)?;
            let reports = Reports::at(&args.reports, "robust", &args.source.files, output)?;
            reports.after(output, |reports, output| robust::run(&config, reports, output))
        }
        Command::Monitor(args) => monitor::run(&config::monitor(args)?, output),
        Command::Fence(args) => {
            let config = config::fence(args)?;
            let reports = Reports::at(&args.reports, "fence", &args.source.files, output)?;
            reports.after(output, |reports, output| fence::run(&config, reports, output))
        }
        Command::Reach(args) => {
            let config = config::reach(args)?;
            let reports = Reports::at(&args.reports, "reach", &args.source.files, output)?;
            reports.after(output, |reports, output| reach::run(&config, reports, output))
        }
        Command::Replay(args) => replay::run(&config::replay(args)?, output),
        Command::Slice(args) => slice::run(&config::slice(args)?, output),
        Command::Print(args) => print::run(&config::print(args)?, output),
        Command::Doctor(args) => doctor::run(args, output),
        Command::Completions(args) => completions::run(args.shell, output),
        Command::Man(args) => man::run(args.folder.as_deref(), output),
    }
}
