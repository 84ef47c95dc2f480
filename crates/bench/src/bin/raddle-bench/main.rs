//! The benchmark: every program of the catalogue under every model and strategy ([`measure`]), the cost of
//! deciding robustness ([`robust`]), the monitors on logs ([`log`]), estimates compared with the truth ([`mod@estimate`]), several workers
//! ([`scale`]), and many machines ([`efficiency`]).
//!
//! Each search and each log runs in its own child process, so that its peak of memory is measured separately.
//! The tables go to standard output; `--json FILE` writes the same data as one object per line, and `--plots FOLDER`
//! draws the searches ([`plots`]).

mod cpu;
mod efficiency;
mod estimate;
mod log;
mod measure;
mod plots;
mod programs;
mod robust;
mod scale;
mod table;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use measure::{Job, Measurement};
use raddle_engine::{Coverage, Engine, Model, Strategy};
use table::json_line;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Measure the search on parametric programs.
#[derive(Parser, Debug)]
#[command(version)]
struct Args {
    /// Programs to run, by name; all of them by default.
    programs: Vec<String>,
    /// Tables to make.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "search,robust,log")]
    table: Vec<Table>,
    /// Memory models.
    #[arg(long, value_delimiter = ',', default_values_t = Engine::Interleave.models())]
    model: Vec<Model>,
    /// Strategies.
    #[arg(long, value_delimiter = ',', default_value = "optimal,source", value_parser = compared())]
    strategy: Vec<Strategy>,
    /// The parameter of every program, instead of its default.
    #[arg(long)]
    size: Option<u32>,
    /// Give up on one measurement after this many seconds.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    timeout: u64,
    /// Also write the results to a file, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also draw the searches, as SVG files in a folder.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Run one job in this process and print its measurement (used for child processes).
    #[arg(long, hide = true)]
    child: bool,
    /// Monitor one log in this process (used for child processes).
    #[arg(long, hide = true, requires = "child")]
    log: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Table {
    /// Executions and events per second.
    Search,
    /// Deciding robustness compared with checking under sc.
    Robust,
    /// The monitors on logs.
    Log,
    /// One search by two workers, and searches that are saved, compared with one worker.
    Scale,
    /// The efficiency of slices on many workers, simulated.
    Efficiency,
    /// Estimates of the size of searches that take longer than ten seconds, compared with the truth.
    Estimate,
}

/// The strategies that are compared, by name.
fn compared() -> impl TypedValueParser<Value = Strategy> {
    let is_compared = |strategy: Strategy| {
        strategy.engine() == Engine::Interleave && strategy.coverage() != Coverage::Sample
    };
    PossibleValuesParser::new(Strategy::names(is_compared)).map(|name| {
        let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.expect("the parser takes no other names")
    })
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(log) = &args.log {
        return end(run_log(log, &args.model));
    }
    // The other tables take names that the catalogue does not have.
    let jobs = if args.table.contains(&Table::Search) || args.child {
        jobs(&args)
    } else {
        Ok(Vec::new())
    };
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(message) => return fail(&message),
    };
    end(if args.child { run_here(&jobs) } else { run_tables(&args, &jobs) })
}

fn end(ended: io::Result<()>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::from(2)
}

/// Every combination of the selected programs, models and strategies.
fn jobs(args: &Args) -> Result<Vec<Job>, String> {
    use raddle_bench::catalogue::{FAMILIES, find};
    let families = match args.programs.as_slice() {
        [] => FAMILIES.to_vec(),
        names => {
            let found = |name: &String| find(name).ok_or(format!("there is no program '{name}'"));
            names.iter().map(found).collect::<Result<_, _>>()?
        }
    };
    let mut jobs = Vec::new();
    for family in families {
        for &model in &args.model {
            for &strategy in &args.strategy {
                let default = match strategy.coverage() {
                    Coverage::Interleavings => family.tiny,
                    _ => family.size,
                };
                let size = args.size.unwrap_or(default);
                jobs.push(Job { family, size, model, strategy, timeout: args.timeout });
            }
        }
    }
    Ok(jobs)
}

fn run_here(jobs: &[Job]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for job in jobs {
        json_line(&mut out, &measure::run(job))?;
    }
    Ok(())
}

fn run_log(path: &Path, models: &[Model]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for model in models {
        json_line(&mut out, &log::measure(path, *model)?)?;
    }
    Ok(())
}

fn run_tables(args: &Args, jobs: &[Job]) -> io::Result<()> {
    let mut json = args.json.as_ref().map(File::create).transpose()?.map(BufWriter::new);
    let mut out = io::stdout().lock();
    for table in &args.table {
        let json = json.as_mut().map(|json| json as &mut dyn Write);
        match table {
            Table::Search => {
                let measurements = run_children(jobs, &mut out, json)?;
                let folder = args.plots.as_ref();
                folder.map_or(Ok(()), |folder| plots::write(folder, &measurements))?;
            }
            Table::Robust => robust::run(&mut out, json)?,
            Table::Log => log::run(&mut out, json)?,
            Table::Scale => scale::run((&args.programs, &args.model), &mut out, json)?,
            Table::Efficiency => efficiency::run((&args.programs, &args.model), &mut out, json)?,
            Table::Estimate => {
                let timeout = Duration::from_secs(args.timeout);
                estimate::run((&args.programs, &args.model, timeout), &mut out, json)?;
            }
        }
    }
    json.map_or(Ok(()), |mut json| json.flush())
}

fn run_children(
    jobs: &[Job],
    out: &mut impl Write,
    mut json: Option<&mut dyn Write>,
) -> io::Result<Vec<Measurement>> {
    table::header(out)?;
    let mut measurements = Vec::new();
    for job in jobs {
        let measurement = run_child(job)?;
        table::row(out, &measurement)?;
        json.as_mut().map_or(Ok(()), |json| json_line(json, &measurement))?;
        measurements.push(measurement);
    }
    Ok(measurements)
}

fn run_child(job: &Job) -> io::Result<Measurement> {
    let done = Command::new(std::env::current_exe()?).args(job.arguments()).output()?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(io::Error::other(format!("{}: {} {said}", job.family.name, done.status)));
    }
    Ok(serde_json::from_slice(&done.stdout)?)
}
