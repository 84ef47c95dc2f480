//! `raddle check`.

use crate::config::CheckConfig;
use crate::output::{Output, Stop};
use crate::source::{self, Source};
use crate::status::Status;
use crate::witness;
use raddle_analysis::CheckResult;
use raddle_report::document;
use raddle_report::source::Sources;
use raddle_report::{Look, Run, check, json};

pub fn run(config: &CheckConfig, output: &mut Output) -> Result<Status, Stop> {
    let Some(Source { program, shown: file, optimised }) = source::load(&config.source, output)
    else {
        return Ok(Status::Bad);
    };
    let sources = Sources::from_disk();
    let mut witnesses = Vec::new();
    for search in &config.searches {
        let result = raddle_analysis::check(&program, search);
        output.note(Status::of(result.verdict, config.strict));
        let run = Run { file: &file, program: &program, search };
        witnesses.extend(result.violations.iter().map(|found| document::entry(&run, found)));
        let text = shown(config, &run, &output.look(&sources), optimised.as_deref(), &result);
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
    result: &CheckResult,
) -> String {
    if config.json {
        return json::line(&json::check(run, result).optimised(optimised));
    }
    let mut text = check::text(run, look, result);
    if let Some(level) = optimised {
        text.push_str(&format!("  as compiled with {level}, which may merge or drop accesses\n"));
    }
    text
}
