//! `raddle robust`.

use crate::config::{RobustConfig, SourceConfig};
use crate::estimate;
use crate::output::{Output, Stop};
use crate::pages::Pages;
use crate::reports::{Reports, outcome};
use crate::source;
use crate::status::Status;
use raddle_analysis::robust::{Robustness, robust};
use raddle_engine::{Limits, Options};
use raddle_report::robust::{json as answer, text};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, Subject, html, json, witness};

pub(crate) fn run(
    config: &RobustConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    output.follow(&config.shown);
    let programs: Vec<&SourceConfig> = config.programs.iter().collect();
    let mut pages = Pages::at(&config.files, &programs, output)?;
    let run = |program: &SourceConfig, output: &mut Output| {
        let ended = run_program(config, program, (&mut pages, reports), output);
        if matches!(ended, Err(Stop::Refused)) {
            reports.refused(&program.shown(), output);
        }
        ended
    };
    let ended = source::for_each(&config.programs, &config.limits.budget, output, run);
    pages.save(&Sources::from_disk(), output);
    ended.map(|_| output.status())
}

fn run_program(
    config: &RobustConfig,
    program: &SourceConfig,
    (pages, reports): (&mut Pages, &mut Reports),
    output: &mut Output,
) -> Result<(), Stop> {
    let RobustConfig { models, limits, .. } = config;
    let source = source::prepare(program, models, &limits.unroll, output)?;
    pages.check_against(&source, output)?;
    reports.check_against(&source, output)?;
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
        pages.add(|| html::robust(&source.shown, &source.program, &found));
        let look = Look { all_steps: config.all_steps, ..output.look(&sources) };
        let mut shown = match config.json {
            true => json::line(&answer(&subject, &found)),
            false => text(&subject, look.colour, &found),
        };
        if let Some(witness) = found.witness.filter(|_| look.all_steps) {
            shown.push('\n');
            shown.push_str(&witness::story(&run, &look, &witness.witness.events));
        }
        output.print(&shown)?;
    }
    Ok(())
}
