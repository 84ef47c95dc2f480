//! `raddle robust`.

use crate::config::{RobustConfig, SourceConfig};
use crate::estimate;
use crate::output::{Output, Stop};
use crate::pages::Pages;
use crate::source;
use crate::status::Status;
use raddle_analysis::robust::{Robustness, robust};
use raddle_engine::{Limits, Options};
use raddle_report::robust::{json as answer, text};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, Subject, html, json, witness};
use std::cell::RefCell;

pub(crate) fn run(config: &RobustConfig, output: &mut Output) -> Result<Status, Stop> {
    output.follow(&config.shown);
    let programs: Vec<&SourceConfig> = config.programs.iter().collect();
    let pages = RefCell::new(Pages::at(&config.files, &programs, output)?);
    let run = |program: &SourceConfig, output: &mut Output| {
        run_program(config, program, &mut pages.borrow_mut(), output)
    };
    let ended = source::for_each(&config.programs, &config.limits.budget, output, run);
    pages.borrow().save(&Sources::from_disk(), output);
    ended.map(|_| output.status())
}

fn run_program(
    config: &RobustConfig,
    program: &SourceConfig,
    pages: &mut Pages,
    output: &mut Output,
) -> Result<(), Stop> {
    let RobustConfig { models, limits, .. } = config;
    let source = source::prepare(program, models, &limits.unroll, output)?;
    pages.check_against(&source.program, output)?;
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
        pages.add(|| html::robust(&source.shown, &source.program, &found));
        let look = Look { all_steps: config.all_steps, ..output.look(&sources) };
        let mut shown = match config.json {
            true => json::line(&answer(&subject, &found)),
            false => text(&subject, look.colour, &found),
        };
        if let Some(witness) = found.witness.filter(|_| look.all_steps) {
            let options = Options::new(*model);
            let run = Run { file: &source.shown, program: &source.program, options: &options };
            shown.push('\n');
            shown.push_str(&witness::story(&run, &look, &witness.witness.events));
        }
        output.print(&shown)?;
    }
    Ok(())
}
