//! `raddle monitor`.

use crate::config::{MonitorConfig, Monitored, SourceConfig};
use crate::input;
use crate::output::{Output, Stop};
use crate::source;
use crate::status::Status;
use crate::stream::Stream;
use raddle_analysis::robust::{Runs, Sample, buffers, sample};
use raddle_budget::Budget;
use raddle_engine::{Limits, Model, Stopped};
use raddle_ir::{Diagnostic, Severity};
use raddle_monitor::Buffers;
use raddle_monitor::log::{self, BadLine, Trouble};
use raddle_report::monitor::{self, Logged};
use raddle_report::{Subject, json};
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(config: &MonitorConfig, output: &mut Output) -> Result<Status, Stop> {
    match &config.monitored {
        Monitored::Logs { files, budget } => {
            for file in files {
                run_log(config, file, &budget.afresh(), output)?;
            }
            Ok(output.status())
        }
        Monitored::Programs { programs, runs, strict } => {
            source::for_each(programs, &runs.limits.budget, output, |program, output| {
                run_program(config, program, runs, *strict, output)
            })
        }
    }
}

fn run_log(
    config: &MonitorConfig,
    path: &Path,
    budget: &Budget,
    output: &mut Output,
) -> Result<(), Stop> {
    if let Some(diagnostic) = input::no_stream(path).filter(|_| path != Path::new("-")) {
        output.refuse(&diagnostic);
        return Ok(());
    }
    let file = input::shown(path);
    let start = Instant::now();
    // All models at once: a pipe can be read only once.
    let each: Vec<Buffers> = config.models.iter().map(|model| buffers(*model)).collect();
    let opened = Stream::open(path, budget).map_err(Trouble::Io);
    let readings = match opened.and_then(|opened| log::monitor_each(opened, &each, budget)) {
        Ok(readings) => readings,
        Err(trouble) => {
            output.refuse(&diagnostic(&file, trouble));
            return Ok(());
        }
    };
    let elapsed = start.elapsed();
    for (model, reading) in config.models.iter().zip(&readings) {
        let stopped = budget.spent().filter(|_| !reading.complete).map(Stopped::from);
        output.note(match (reading.violations.is_empty(), stopped) {
            (false, _) => Status::Violation,
            (true, Some(_)) => Status::Unknown,
            (true, None) => Status::Fine,
        });
        let logged = Logged { file: &file, model: model.name(), reading, stopped, elapsed };
        let shown = match config.json {
            true => json::line(&monitor::log_json(&logged)),
            false => monitor::log_text(&logged),
        };
        output.print(&shown)?;
    }
    Ok(())
}

fn diagnostic(file: &str, trouble: Trouble) -> Diagnostic {
    match trouble {
        Trouble::Io(error) => Diagnostic::whole_file(file, format!("cannot be read: {error}")),
        Trouble::Bad(BadLine { line, column, message, expected }) => Diagnostic {
            severity: Severity::Error,
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column,
            span: None,
            message,
            expected: Some(expected.to_owned()),
            help: Some("docs/monitor.md has the format of logs".to_owned()),
        },
    }
}

fn run_program(
    config: &MonitorConfig,
    program: &SourceConfig,
    runs: &Runs,
    strict: bool,
    output: &mut Output,
) -> Result<(), Stop> {
    // The runs are under sc; what fences of foreign assembly order is judged under the models.
    let source = source::prepare(program, &config.models, &runs.limits.unroll, output)?;
    let sampled = |(n, model): (usize, &Model)| {
        let budget = program.c.budget.share(config.models.len() - n);
        let limits = Limits { budget, ..runs.limits.clone() };
        match source.stopped {
            Some(spent) => Sample::unsearched(*model, spent),
            None => sample(&source.program, *model, &Runs { limits, ..runs.clone() }),
        }
    };
    let samples: Vec<_> = config.models.iter().enumerate().map(sampled).collect();
    samples.iter().for_each(|sample| output.note(status(sample, strict)));
    let subject = Subject { file: &source.shown, program: &source.program };
    let shown = match config.json {
        true => samples.iter().map(|sample| json::line(&monitor::json(&subject, sample))).collect(),
        false => monitor::table(&subject, &samples),
    };
    output.print(&shown)
}

/// Runs that were not made, or that reached something unsupported, might have shown a violation.
fn status(sample: &Sample, strict: bool) -> Status {
    match () {
        () if !sample.violations.is_empty() => Status::Violation,
        () if sample.stopped().is_some() || sample.unsupported() > 0 => Status::Unknown,
        () if strict && !sample.summary.bounds.is_empty() => Status::Unknown,
        () => Status::Fine,
    }
}
