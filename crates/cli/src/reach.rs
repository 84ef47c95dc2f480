//! `raddle reach`.

use crate::config::ReachConfig;
use crate::output::{Output, Stop};
use crate::pages::Pages;
use crate::reports::{Reports, outcome};
use crate::source;
use crate::status::Status;
use crate::witness::WitnessFile;
use raddle_analysis::reach::{self, ReachResult};
use raddle_engine::{Checks, Unroll};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, document, html};

pub(crate) fn run(
    config: &ReachConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let ended = search(config, reports, output);
    if matches!(ended, Err(Stop::Refused)) {
        reports.refused(&config.source.shown(), output);
    }
    ended
}

fn search(
    config: &ReachConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let ReachConfig { source, options, json, all_steps, witness, files, shown } = config;
    output.follow(shown);
    let witness = WitnessFile::at(witness.as_deref(), source, Checks::default(), output)?;
    let mut pages = Pages::at(files, &[source], output)?;
    let source = source::prepare(source, &[options.model], &Unroll::NONE, output)?;
    reports.check_against(&source, output)?;
    let run = Run { file: &source.shown, program: &source.program, options };
    let result = match source.stopped {
        Some(spent) => ReachResult::unsearched(spent),
        None => {
            witness.check_against(&source, output)?;
            pages.check_against(&source, output)?;
            let result = reach::reach(&source.program, options);
            let reached = result.reached.iter().map(|reached| document::reached(&run, reached));
            witness.save(&source.program, reached.collect(), output);
            result
        }
    };
    let status = match result.reachable {
        Some(true) => Status::Violation,
        Some(false) => Status::Fine,
        None => Status::Unknown,
    };
    output.note(status);
    let sources = Sources::from_disk();
    reports.add(&run, &sources, |cases| {
        let text = raddle_report::reach::text(&run, &Look::plain(&sources), &result);
        cases.reach(&result, outcome(status), text)
    });
    pages.add(|| html::reach(&run, &result));
    pages.save(&sources, output);
    let look = Look { all_steps: *all_steps, ..output.look(&sources) };
    match json {
        true => output.print_json(&raddle_report::reach::json(&run, &result))?,
        false => output.print(&raddle_report::reach::text(&run, &look, &result))?,
    }
    Ok(output.status())
}
