//! `raddle check`.

use crate::config::CheckConfig;
use crate::output::{Output, Stop};
use crate::source::{self, NotLoaded, Source};
use crate::status::Status;
use crate::unroll;
use crate::witness::WitnessFile;
use raddle_analysis::{CheckResult, Iterated, Violation};
use raddle_budget::Spent;
use raddle_engine::Options;
use raddle_ir::Verified;
use raddle_report::document;
use raddle_report::source::Sources;
use raddle_report::{Run, buffer, check, json};

pub fn run(config: &CheckConfig, output: &mut Output) -> Result<Status, Stop> {
    let witness = config.witness.as_deref();
    let witness = match WitnessFile::at(witness, &config.source, config.checks) {
        Ok(witness) => witness,
        Err(diagnostic) => return Ok(output.refuse(&diagnostic)),
    };
    let source = match source::load(&config.source, output) {
        Ok(source) => source,
        Err(NotLoaded::Refused) => return Ok(Status::Bad),
        Err(NotLoaded::Stopped(spent)) => return unsearched(config, spent, output),
    };
    if let Err(diagnostic) = witness.is_apart_from(&source.program) {
        return Ok(output.refuse(&diagnostic));
    }
    unroll::check(&source.program, &config.unroll)?;
    source.warn_of_assembly(config.searches.iter().map(|options| options.model), output);
    let mut found = Vec::new();
    let printed = search(config, &source, &mut found, output);
    // Whether or not somebody reads the output.
    let run = |options| Run { file: &source.shown, program: &source.program, options };
    let entries = found.iter().flat_map(|(options, violations)| {
        violations.iter().map(move |found| document::entry(&run(options), found))
    });
    witness.save(&source.program, entries.collect(), output);
    printed.map(|()| output.status())
}

/// Reports a program that was not loaded in time.
fn unsearched(config: &CheckConfig, spent: Spent, output: &mut Output) -> Result<Status, Stop> {
    let (program, file) = (&Verified::default(), &source::shown(&config.source));
    for options in &config.searches {
        let result = CheckResult::unsearched(spent);
        output.note(Status::of(result.verdict, config.strict));
        let run = Run { file, program, options };
        let checked = Iterated { options: options.clone(), result, executions: Vec::new() };
        print(config, &run, &Sources::none(), None, &checked, output)?;
    }
    Ok(output.status())
}

/// Prints what comes of every search, and collects the violations.
fn search(
    config: &CheckConfig,
    source: &Source,
    found: &mut Vec<(Options, Vec<Violation>)>,
    output: &mut Output,
) -> Result<(), Stop> {
    let Source { program, shown: file, optimised, .. } = source;
    let sources = Sources::from_disk();
    for (n, options) in config.searches.iter().enumerate() {
        let models_left = config.searches.len() - n;
        let options = options.clone().within(options.limits.budget.share(models_left));
        let checked = match config.iterates && options.has_buffers() {
            true => raddle_analysis::iterate(program, &options),
            false => Iterated::once(program, &options),
        };
        output.note(Status::of(checked.result.verdict, config.strict));
        let run = Run { file, program, options: &checked.options };
        let printed = print(config, &run, &sources, optimised.as_deref(), &checked, output);
        found.push((checked.options, checked.result.violations));
        printed?;
    }
    Ok(())
}

/// Whether races were asked for, and this search cannot look for them.
fn leaves_out_races(config: &CheckConfig, options: &Options) -> bool {
    config.checks.races && !options.checks.races
}

fn print(
    config: &CheckConfig,
    run: &Run<'_>,
    sources: &Sources,
    optimised: Option<&str>,
    checked: &Iterated,
    output: &mut Output,
) -> Result<(), Stop> {
    let no_races = leaves_out_races(config, run.options);
    if config.json {
        let object = json::iterated(run, checked).optimised(optimised);
        let object = if no_races { object.without(document::RACES) } else { object };
        return output.print_json(&object);
    }
    let mut text = check::text(run, &output.look(sources), &checked.result);
    text.push_str(&buffer::iterated(checked));
    if no_races {
        let model = run.options.model.name();
        text.push_str(&format!(
            "  data races were not looked for: there is no such check under {model}\n"
        ));
    }
    if let Some(level) = optimised {
        text.push_str(&format!("  as compiled with {level}, which may merge or drop accesses\n"));
    }
    output.print(&text)
}
