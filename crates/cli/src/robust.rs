//! `raddle robust`.

use crate::config::{RobustConfig, SourceConfig};
use crate::estimate;
use crate::output::{Output, Stop};
use crate::source;
use crate::status::Status;
use raddle_analysis::robust::{Robustness, robust};
use raddle_engine::Limits;
use raddle_report::robust::{json as answer, text};
use raddle_report::source::Sources;
use raddle_report::{Subject, json};

pub(crate) fn run(config: &RobustConfig, output: &mut Output) -> Result<Status, Stop> {
    output.follow(&config.shown);
    source::for_each(&config.programs, &config.limits.budget, output, |program, output| {
        run_program(config, program, output)
    })
}

fn run_program(
    config: &RobustConfig,
    program: &SourceConfig,
    output: &mut Output,
) -> Result<(), Stop> {
    let RobustConfig { models, limits, .. } = config;
    let source = source::prepare(program, models, &limits.unroll, output)?;
    let subject = Subject { file: &source.shown, program: &source.program };
    let sources = Sources::from_disk();
    for (n, model) in models.iter().enumerate() {
        let by = config.by(program, *model);
        if let Some(time) = config.estimate {
            estimate::robust(config, &source, (*model, by), time, output)?;
            continue;
        }
        let budget = program.c.budget.share(models.len() - n);
        let found = match source.stopped {
            Some(spent) => Robustness::unsearched(*model, by, spent),
            None => robust(&source.program, *model, &Limits { budget, ..limits.clone() }, by),
        };
        output.note(match found.robust {
            Some(true) => Status::Fine,
            Some(false) => Status::Violation,
            None => Status::Unknown,
        });
        let shown = match config.json {
            true => json::line(&answer(&subject, &found)),
            false => text(&subject, output.look(&sources).colour, &found),
        };
        output.print(&shown)?;
    }
    Ok(())
}
