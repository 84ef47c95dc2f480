//! The size of a search instead of its result: `--estimate`.

use crate::config::{CheckConfig, RobustConfig};
use crate::output::{Output, Stop};
use crate::source::Source;
use crate::status::Status;
use raddle_analysis::By;
use raddle_analysis::estimate::forecast;
use raddle_analysis::robust::searches;
use raddle_engine::{Model, Options};
use raddle_report::{Run, progress};
use std::time::Duration;

/// The size of each search of `raddle check`.
pub(crate) fn check(
    config: &CheckConfig,
    source: &Source,
    time: Duration,
    output: &mut Output,
) -> Result<(), Stop> {
    for options in &config.searches {
        print(source, options, None, time, config.json, output)?;
    }
    Ok(())
}

/// The size of the searches that `raddle robust` makes for a model.
pub(crate) fn robust(
    config: &RobustConfig,
    source: &Source,
    (model, by): (Model, Option<By>),
    time: Duration,
    output: &mut Output,
) -> Result<(), Stop> {
    let by = by.unwrap_or(By::Monitor);
    let purpose = format!("robustness against {model} by {}", by.name());
    for options in searches(by, model, &config.limits) {
        print(source, &options, Some(&purpose), time, config.json, output)?;
    }
    Ok(())
}

fn print(
    source: &Source,
    options: &Options,
    purpose: Option<&str>,
    time: Duration,
    json: bool,
    output: &mut Output,
) -> Result<(), Stop> {
    if source.stopped.is_some() {
        output.note(Status::Unknown);
        return Ok(());
    }
    let found = forecast(&source.program, options, time);
    let run = Run { file: &source.shown, program: &source.program, options };
    match json {
        true => output.print_json(&progress::forecast_json(&run, purpose, &found)),
        false => output.print(&progress::forecast(&run, purpose, &found)),
    }
}
