//! `raddle check`.

use crate::config::CheckConfig;
use crate::output::{Output, Stop};
use crate::source::{self, Source};
use crate::status::Status;
use crate::witness;
use raddle_analysis::Iterated;
use raddle_report::document;
use raddle_report::source::Sources;
use raddle_report::{Look, Run, buffer, check, json};

pub fn run(config: &CheckConfig, output: &mut Output) -> Result<Status, Stop> {
    let Some(Source { program, shown: file, optimised }) = source::load(&config.source, output)
    else {
        return Ok(Status::Bad);
    };
    let sources = Sources::from_disk();
    let mut witnesses = Vec::new();
    for (n, search) in config.searches.iter().enumerate() {
        let models_left = config.searches.len() - n;
        let search = search.clone().within(search.limits().budget.share(models_left));
        let checked = match config.iterates && search.is_buffered() {
            true => raddle_analysis::iterate(&program, &search),
            false => Iterated::once(&program, &search),
        };
        let violations = &checked.result.violations;
        output.note(Status::of(checked.result.verdict, config.strict));
        let run = Run { file: &file, program: &program, search: &checked.search };
        witnesses.extend(violations.iter().map(|found| document::entry(&run, found)));
        let text = shown(config, &run, &output.look(&sources), optimised.as_deref(), &checked);
        output.print(&text)?;
    }
    if let Some(path) = &config.witness {
        let origin = config.source.origin();
        witness::save(path, &program, &origin, config.checks, witnesses, output);
    }
    Ok(output.status())
}

fn shown(
    config: &CheckConfig,
    run: &Run<'_>,
    look: &Look<'_>,
    optimised: Option<&str>,
    checked: &Iterated,
) -> String {
    if config.json {
        return json::line(&json::iterated(run, checked).optimised(optimised));
    }
    let mut text = check::text(run, look, &checked.result);
    text.push_str(&buffer::iterated(checked));
    if let Some(level) = optimised {
        text.push_str(&format!("  as compiled with {level}, which may merge or drop accesses\n"));
    }
    text
}
