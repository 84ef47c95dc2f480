//! `raddle check`.

use crate::config::CheckConfig;
use crate::input;
use crate::output::{Output, Stop};
use crate::status::Status;
use raddle_analysis::CheckResult;
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
    for options in &config.searches {
        let result = raddle_analysis::check(&program, options);
        output.note(Status::of(result.verdict, config.strict));
        let run = Run { file: &file, program: &program, options };
        let text = shown(config, &run, &output.look(&sources), &result);
        output.print(&text)?;
    }
    Ok(output.status())
}

fn shown(config: &CheckConfig, run: &Run<'_>, look: &Look<'_>, result: &CheckResult) -> String {
    if config.json { json::line(&json::check(run, result)) } else { check::text(run, look, result) }
}
