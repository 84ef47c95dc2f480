//! `raddle fence`.

use crate::config::FenceConfig;
use crate::output::{Output, Stop};
use crate::pages::{Pages, quoted};
use crate::reports::Reports;
use crate::source::{self, Source};
use crate::status::Status;
use raddle_analysis::fence::{Fences, Outcome, Unknown, Verdict, fences, judge};
use raddle_budget::Budget;
use raddle_patch::{Editor, Written};
use raddle_report::fence::{Asked, json, text};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, html};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    config: &FenceConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let ended = run_with(config, reports, output);
    if matches!(ended, Err(Stop::Refused)) {
        reports.refused(&config.source.shown(), output);
    }
    ended
}

fn run_with(
    config: &FenceConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let FenceConfig { source, question, .. } = config;
    output.follow(&config.shown);
    let mut pages = Pages::at(&config.files, &[source], output)?;
    let options = &question.options;
    let source = source::prepare(source, &[options.model], &options.limits.unroll, output)?;
    reports.check_against(&source, output)?;
    pages.check_against(&source, output)?;
    let (result, written) = match source.stopped {
        Some(spent) => (Fences::unsearched(spent), Written::default()),
        None => search(config, &source)?,
    };
    let Source { program, shown: file, .. } = &source;
    let asked = Asked { file, program, question, written: &written };
    let (run, sources) = (Run { file, program, options }, Sources::from_disk());
    reports.add(&run, &sources, |cases| {
        cases.fences(&asked, &result, text(&asked, &Look::plain(&sources), &result))
    });
    let printed = print(config, &asked, &result, output);
    let here = std::env::current_dir().unwrap_or_default();
    pages.add(|| html::fences(&asked, &here, &result));
    pages.save(&Sources::from_disk(), output);
    printed.map(|_| output.status())
}

/// The fences, and how they are written in the source.
fn search(config: &FenceConfig, source: &Source) -> Result<(Fences, Written), Stop> {
    let FenceConfig { source: files, question, .. } = config;
    let program = &source.program;
    let has_condition = program.goals.is_empty() && program.condition.is_some();
    config.refuse_limits(!has_condition)?;
    let budget = &question.options.limits.budget;
    // Fences of a search that gave up are written as edits with the time that is left for reports.
    let late: OnceCell<Budget> = OnceCell::new();
    let reload = |texts: &[(PathBuf, Vec<u8>)]| {
        let budget = late.get().unwrap_or(budget);
        match budget.spent() {
            Some(_) => Err("there is no time left".to_owned()),
            None => source::reload(&files.within(budget), texts),
        }
    };
    let mut editor = Editor::new(source.editable(), &reload, budget);
    let result = fences(program, question, |places| editor.prices(program, places));
    if budget.is_spent() {
        editor.go_on_within(late.get_or_init(|| budget.for_report()));
    }
    question.options.limits.progress.edit();
    let written = match &result.outcome {
        Outcome::Fences(fences) => editor.write(program, fences, &|edited| judge(edited, question)),
        // The source is not judged again: there is no time left, or the judge has no answer.
        Outcome::Unknown(why) => {
            let unknown = Unknown { why: why.clone(), bounds: Vec::new() };
            editor.write(program, result.shown(), &|_| Verdict::Unknown(unknown.clone()))
        }
        Outcome::Hopeless(_) => Written::default(),
    };
    Ok((result, written))
}

fn print(
    config: &FenceConfig,
    asked: &Asked<'_>,
    result: &Fences,
    output: &mut Output,
) -> Result<Status, Stop> {
    let is_bounded = !asked.program.partial_inputs().is_empty();
    output.note(match &result.outcome {
        Outcome::Fences(_) if config.strict && is_bounded => Status::Unknown,
        Outcome::Fences(_) => Status::Fine,
        Outcome::Hopeless(_) => Status::Violation,
        Outcome::Unknown(_) => Status::Unknown,
    });
    if config.patch {
        return patch(asked, result, output);
    }
    let shown = match config.json {
        true => raddle_report::json::line(&json(asked, result)),
        false => text(asked, &output.look(&Sources::from_disk()), result),
    };
    output.print(&shown)?;
    Ok(output.status())
}

/// Prints the patch alone, if one was found and judged good; otherwise the report goes to standard error.
fn patch(asked: &Asked<'_>, result: &Fences, output: &mut Output) -> Result<Status, Stop> {
    let needed = matches!(&result.outcome, Outcome::Fences(fences) if !fences.is_empty());
    if needed && asked.written.checked.is_some() {
        let folder = std::env::current_dir().map_err(Stop::Io)?;
        let patch = asked.written.patch(&folder);
        output.print_bytes(&patch.text)?;
        if let Some(folder) = patch.elsewhere {
            output.complain(&format!("note: {}", elsewhere(&folder)));
        }
        return Ok(output.status());
    }
    let shown = text(asked, &output.look(&Sources::from_disk()), result);
    output.write_error(shown.trim_end());
    if needed {
        let why = match asked.question.options.limits.budget.spent() {
            Some(_) => "the search for edits was cut short",
            None => "not every fence can be written as an edit",
        };
        output.complain(&format!("error: {why}: there is no patch"));
        output.note(Status::Unknown);
    }
    Ok(output.status())
}

/// How a patch is applied to files that are not in the current folder.
fn elsewhere(folder: &Path) -> String {
    let name = quoted(&folder.to_string_lossy());
    format!("the patch names files from {name}: patch -p1 -d {name}, or git -C {name} apply")
}
