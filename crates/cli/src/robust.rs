//! `raddle robust`.

use crate::config::{RobustConfig, SourceConfig};
use crate::output::{Output, Stop};
use crate::reports::{Reports, outcome};
use crate::source;
use crate::status::Status;
use raddle_analysis::robust::{Robustness, robust};
use raddle_engine::{Limits, Options};
use raddle_report::robust::{json as answer, text};
use raddle_report::source::Sources;
use raddle_report::{Run, Subject, json};

pub(crate) fn run(
    config: &RobustConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    source::for_each(&config.programs, &config.limits.budget, output, |program, output| {
        let ended = run_program(config, program, reports, output);
        if matches!(ended, Err(Stop::Refused)) {
            reports.refused(&program.shown(), output);
        }
        ended
    })
}

fn run_program(
    config: &RobustConfig,
    program: &SourceConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<(), Stop> {
    let RobustConfig { models, limits, .. } = config;
    let source = source::prepare(program, models, &limits.unroll, output)?;
    reports.check_against(&source.program, output)?;
    let subject = Subject { file: &source.shown, program: &source.program };
    let sources = Sources::from_disk();
    for (n, model) in models.iter().enumerate() {
        let by = config.by(program, *model);
        let budget = program.c.budget.share(models.len() - n);
        let found = match source.stopped {
            Some(spent) => Robustness::unsearched(*model, by, spent),
            None => robust(&source.program, *model, &Limits { budget, ..limits.clone() }, by),
        };
        let status = match found.robust {
            Some(true) => Status::Fine,
            Some(false) => Status::Violation,
            None => Status::Unknown,
        };
        output.note(status);
        let options = Options::new(*model);
        let run = Run { file: &source.shown, program: &source.program, options: &options };
        reports.add(&run, &sources, |cases| {
            cases.robust(&found, outcome(status), text(&subject, false, &found))
        });
        let shown = match config.json {
            true => json::line(&answer(&subject, &found)),
            false => text(&subject, output.look(&sources).colour, &found),
        };
        output.print(&shown)?;
    }
    Ok(())
}
