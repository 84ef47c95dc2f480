//! `raddle check`.

use crate::args::Command;
use crate::args::commands::CheckArgs;
use crate::config::{self, CheckConfig, SourceConfig};
use crate::estimate;
use crate::keep;
use crate::output::{Output, Stop};
use crate::pages::{Pages, fence_command};
use crate::project::ProjectCheck;
use crate::reports::{Reports, outcome};
use crate::signals;
use crate::source::{self, Source};
use crate::status::Status;
use crate::witness::WitnessFile;
use raddle_analysis::{CheckResult, Iterated, Violation};
use raddle_engine::{Model, Options};
use raddle_report::document;
use raddle_report::html::{self, Answer};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, buffer, check, json};
use std::path::{Path, PathBuf};

pub(crate) fn run(
    config: &CheckConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let mut pages = Pages::at(&config.files, &[&config.source], output)?;
    let ended = run_checks(config, &mut pages, reports, output);
    pages.save(&Sources::from_disk(), output);
    ended.map(|_| output.status())
}

/// The checks of a project, one after the other. One that is refused does not stop the others.
pub(crate) fn project(lines: &[ProjectCheck], output: &mut Output) -> Result<Status, Stop> {
    let checks: Vec<(&CheckArgs, &ProjectCheck)> = lines
        .iter()
        .filter_map(|line| match &line.cli.command {
            Command::Check(args) => Some((&**args, line)),
            _ => None,
        })
        .collect();
    // All of them are validated before the first one starts, whose time then runs.
    let configs = checks.iter().map(|(args, line)| validated(args, line, output));
    let configs: Vec<CheckConfig> = configs.collect::<Result<_, Stop>>()?;
    let has_twin: Vec<bool> = configs.iter().map(|config| has_twin(config, &configs)).collect();
    let sources: Vec<&SourceConfig> = configs.iter().map(|config| &config.source).collect();
    let files = configs.first().map(|config| config.files.clone()).unwrap_or_default();
    let mut pages = Pages::at(&files, &sources, output)?;
    let inputs: Vec<PathBuf> =
        sources.iter().flat_map(|source| source.inputs()).map(Path::to_owned).collect();
    let reports = checks.first().map(|(args, _)| args.reports.clone()).unwrap_or_default();
    Reports::at(&reports, "check", &inputs, output)?.after(output, |reports, output| {
        let ended = checks.iter().zip(has_twin).try_for_each(|((args, line), has_twin)| {
            if signals::received().is_some() {
                return Ok(());
            }
            let mut config = validated(args, line, output)?;
            let table = line.written.table.place();
            if has_twin {
                config.source.mark = Some(table.clone());
            }
            match run_checks(&config, &mut pages, reports, output) {
                Ok(_) => Ok(()),
                Err(Stop::Refused) => {
                    output.complain(&format!("{table}: note: this check was not made"));
                    Ok(())
                }
                Err(stop) => Err(stop),
            }
        });
        pages.save(&Sources::from_disk(), output);
        ended.map(|()| output.status())
    })
}

/// Whether results of another check have the same titles.
fn has_twin(config: &CheckConfig, all: &[CheckConfig]) -> bool {
    let title = config.source.shown();
    let has = |config: &CheckConfig, model| config.searches.iter().any(|it| it.model == model);
    let is_alike = |other: &&CheckConfig| {
        let in_common = || config.searches.iter().any(|options| has(other, options.model));
        other.source.shown() == title && in_common()
    };
    all.iter().filter(is_alike).count() > 1
}

fn validated(
    args: &CheckArgs,
    line: &ProjectCheck,
    output: &mut Output,
) -> Result<CheckConfig, Stop> {
    let mut config = config::check(args).map_err(|stop| match stop {
        Stop::Usage(message) => match line.written.blame(message) {
            Ok(diagnostic) => output.refuse(&diagnostic),
            Err(message) => Stop::Usage(message),
        },
        stop => stop,
    })?;
    config.source.project = Some(line.written.table.path.clone());
    Ok(config)
}

fn run_checks(
    config: &CheckConfig,
    pages: &mut Pages,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    reports.know(&config.source.files);
    let ended = check_program(config, pages, reports, output);
    if matches!(ended, Err(Stop::Refused)) {
        reports.refused(&config.source.shown(), output);
    }
    ended
}

fn check_program(
    config: &CheckConfig,
    pages: &mut Pages,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    output.follow(&config.shown);
    output.calls = config.calls;
    let witness = config.witness.as_deref();
    let witness = WitnessFile::at(witness, &config.source, config.checks, output)?;
    let inputs: Vec<&Path> = config.source.inputs().collect();
    let files = keep::Files::at(&config.keep, &inputs, output)?;
    let models: Vec<Model> = config.searches.iter().map(|options| options.model).collect();
    let source = source::prepare(&config.source, &models, &config.unroll, output)?;
    witness.check_against(&source, output)?;
    pages.check_against(&source, output)?;
    if let Some(time) = config.estimate {
        return estimate::check(config, &source, time, output).map(|()| output.status());
    }
    if let Some(options) = config.searches.first()
        && files.write_frontier(&source, options, output)?
    {
        return Ok(output.status());
    }
    let mut found = Vec::new();
    reports.check_against(&source, output)?;
    let printed = search(config, &source, files, &mut found, (pages, reports), output);
    if source.stopped.is_some() {
        return printed.map(|()| output.status());
    }
    // The file is written even if the reader of the output went away.
    let run = |options| Run { file: &source.shown, program: &source.program, options };
    let entries = found.iter().flat_map(|(options, violations)| {
        violations.iter().map(move |found| document::entry(&run(options), found))
    });
    witness.save(&source.program, entries.collect(), output);
    printed.map(|()| output.status())
}

/// Prints the result of every search, and collects the violations.
fn search(
    config: &CheckConfig,
    source: &Source,
    files: keep::Files<'_>,
    found: &mut Vec<(Options, Vec<Violation>)>,
    (pages, reports): (&mut Pages, &mut Reports),
    output: &mut Output,
) -> Result<(), Stop> {
    let Source { program, shown: file, optimised, .. } = source;
    let sources = Sources::from_disk();
    let mut files = Some(files);
    for (n, options) in config.searches.iter().enumerate() {
        let models_left = config.searches.len() - n;
        let options = options.clone().within(options.limits.budget.share(models_left));
        let (options, kept) = match files.take().filter(|_| config.keep.keeps()) {
            Some(files) => files.keep(source, &options, output)?,
            None => (options, None),
        };
        let checked = match source.stopped {
            Some(spent) => {
                let result = CheckResult::unsearched(spent);
                Iterated { options, result, executions: Vec::new() }
            }
            None if config.iterates && options.has_buffers() => {
                raddle_analysis::iterate(program, &options)
            }
            None => Iterated::once(program, &options),
        };
        if let Some(kept) = kept {
            kept.end(output)?;
        }
        let status = Status::of(checked.result.verdict, config.strict);
        output.note(status);
        let run = Run { file, program, options: &checked.options };
        reports.matched(run.options, &checked.result);
        reports.add(&run, &sources, |cases| {
            let text = check::text(&run, &Look::plain(&sources), &checked.result);
            cases.check(&checked.result, outcome(status), text)
        });
        pages.add(|| answer(config, &run, &sources, &checked.result));
        let printed = print(config, &run, &sources, optimised.as_deref(), &checked, output);
        found.push((checked.options, checked.result.violations));
        printed?;
    }
    Ok(())
}

/// The answer for a page.
fn answer(config: &CheckConfig, run: &Run<'_>, sources: &Sources, result: &CheckResult) -> Answer {
    let mut answer = html::check(run, sources, result);
    let command = fence_command(&config.source, run.options.model);
    if let Some(command) = command.filter(|_| !result.violations.is_empty()) {
        answer.suggest_fences(command);
    }
    answer
}

fn print(
    config: &CheckConfig,
    run: &Run<'_>,
    sources: &Sources,
    optimised: Option<&str>,
    checked: &Iterated,
    output: &mut Output,
) -> Result<(), Stop> {
    // Races were asked for, and this search cannot look for them.
    let no_races = config.checks.races && !run.options.checks.races;
    let stubs = source::phrases(&config.source.c.stubs);
    if config.json {
        let mut object = json::iterated(run, checked);
        object.optimised = optimised;
        object.stubs = Some(&*stubs).filter(|stubs| !stubs.is_empty());
        object.not_checked.extend(no_races.then_some(document::RACES));
        return output.print_json(&object);
    }
    let look = Look { all_steps: config.all_steps, ..output.look(sources) };
    let mut text = check::text(run, &look, &checked.result);
    text.push_str(&buffer::iterated(checked));
    if no_races {
        let model = run.options.model.name();
        text.push_str(&format!(
            "  data races were not looked for: there is no such check under {model}\n"
        ));
    }
    if let Some(level) = optimised {
        text.push_str(&format!(
            "  as compiled with {level}, which may merge, move or drop accesses\n"
        ));
    }
    if !stubs.is_empty() {
        text.push_str(&format!("  with stubs (--stub): {}\n", stubs.join("; ")));
    }
    output.print(&text)
}
