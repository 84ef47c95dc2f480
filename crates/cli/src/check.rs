//! `raddle check`.

use crate::config::CheckConfig;
use crate::input;
use crate::output::{Output, Stop};
use crate::status::Status;
use crate::witness;
use raddle_analysis::CheckResult;
use raddle_report::document::{self, Origin};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, check, json};

pub fn run(config: &CheckConfig, output: &mut Output) -> Result<Status, Stop> {
    let program = match input::load(&config.file) {
        Ok(program) => program,
        Err(rejected) => {
            output.diagnose(&rejected.diagnostic, &rejected.source);
            return Ok(Status::Bad);
        }
    };
    let file = input::shown(&config.file);
    let sources = Sources::from_disk();
    let mut witnesses = Vec::new();
    for options in &config.searches {
        let result = raddle_analysis::check(&program, options);
        output.note(Status::of(result.verdict, config.strict));
        let run = Run { file: &file, program: &program, options };
        witnesses.extend(result.violations.iter().map(|found| document::entry(&run, found)));
        let text = shown(config, &run, &output.look(&sources), &result);
        output.print(&text)?;
    }
    if let Some(path) = &config.witness {
        let origin = Origin { inputs: vec![file], arguments: Vec::new() };
        witness::save(path, &program, &origin, witnesses, output);
    }
    Ok(output.status())
}

fn shown(config: &CheckConfig, run: &Run<'_>, look: &Look<'_>, result: &CheckResult) -> String {
    if config.json { json::line(&json::check(run, result)) } else { check::text(run, look, result) }
}
