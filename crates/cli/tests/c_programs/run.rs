//! Runs the command on a case and compares the results.

use crate::expect::{Case, Expected};
use raddle_testing::root;
use serde_json::Value;
use std::process::{Command, Output, Stdio};

/// The time limit of the search, in seconds; a case that reaches it fails.
const TIMEOUT: &str = "120";

/// A difference between the expected and the actual result.
#[derive(Debug)]
pub(crate) struct Difference {
    pub case: String,
    pub model: &'static str,
    pub expected: String,
    pub found: String,
}

/// A part of the message of a clang that crashes, as version 14 does on `atomic_init` with opaque pointers.
const CRASHED: &str = "PLEASE submit a bug report";

/// All differences for one case; with `exhaustive`, also from a search without reduction.
pub(crate) fn differences(case: &Case, exhaustive: bool) -> Vec<Difference> {
    let results = check(case, &[]);
    if let Err(complaint) = &results
        && complaint.contains(CRASHED)
    {
        println!("skipped: {}: the compiler crashes on it", name(case));
        return Vec::new();
    }
    let all = if exhaustive { check(case, &["--strategy", "exhaustive"]) } else { Ok(Vec::new()) };
    let mut differences = Vec::new();
    for expected in &case.expected {
        let mut differs = |wanted: String, found: String| {
            differences.push(Difference {
                case: name(case),
                model: expected.model,
                expected: wanted,
                found,
            });
        };
        match result_of(&results, expected.model) {
            Err(problem) => differs(shown(expected), problem),
            Ok(result) => {
                compare(expected, result, &mut differs);
                if exhaustive {
                    compare_traces(result, result_of(&all, expected.model), &mut differs);
                }
            }
        }
    }
    differences
}

/// The file from the project's root, and the options.
fn name(case: &Case) -> String {
    let words = std::iter::once(case.file.display().to_string());
    words.chain(case.options.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn shown(expected: &Expected) -> String {
    match &expected.kind {
        Some(kind) => format!("{}({kind})", expected.verdict),
        None => expected.verdict.to_owned(),
    }
}

/// One JSON object per model.
fn check(case: &Case, strategy: &[&str]) -> Result<Vec<Value>, String> {
    let models: Vec<&str> = case.expected.iter().map(|e| e.model).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .arg("check")
        .arg(&case.file)
        .args(["--json", "--timeout", TIMEOUT, "--model", &models.join(",")])
        .args(strategy)
        .args(&case.options)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("does not start: {error}"))?;
    objects(&output).ok_or_else(|| complaint(&output))
}

fn objects(output: &Output) -> Option<Vec<Value>> {
    let text = str::from_utf8(&output.stdout).ok()?;
    raddle_testing::schema::validate_lines("check", text);
    let objects: Vec<Value> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().ok()?;
    if objects.is_empty() { None } else { Some(objects) }
}

/// The line that best describes why the command failed.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let telling = [CRASHED, "panicked", "error"];
    let line = telling.iter().find_map(|word| text.lines().find(|line| line.contains(word)));
    let line = line.or_else(|| text.lines().next()).unwrap_or("no output");
    format!("{}: {line}", output.status)
}

fn result_of<'r>(
    results: &'r Result<Vec<Value>, String>,
    model: &str,
) -> Result<&'r Value, String> {
    let results = results.as_ref().map_err(Clone::clone)?;
    let result = results.iter().find(|object| object["model"] == model);
    result.ok_or_else(|| "no result".to_owned())
}

fn compare(expected: &Expected, result: &Value, differs: &mut impl FnMut(String, String)) {
    let error = &result["errors"][0];
    let kind_fits = expected.kind.as_ref().is_none_or(|kind| error["kind"] == **kind);
    if result["verdict"] != expected.verdict || !kind_fits {
        return differs(shown(expected), outcome(result));
    }
    for (what, wanted) in [("executions", expected.executions), ("blocked", expected.blocked)] {
        if let Some(wanted) = wanted.filter(|wanted| result[what] != *wanted) {
            differs(format!("{wanted} {what}"), result[what].to_string());
        }
    }
}

fn outcome(result: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let verdict = word(&result["verdict"]);
    let error = &result["errors"][0];
    if error.is_object() {
        let (kind, message) = (word(&error["kind"]), word(&error["message"]));
        return format!("{verdict}({kind}) line {}: {message}", error["line"]);
    }
    let bound = &result["bounds"][0];
    if bound.is_object() {
        return format!("{verdict}: {} line {}", word(&bound["kind"]), bound["line"]);
    }
    match result["stopped"].as_str() {
        Some(why) => format!("{verdict}: {why}"),
        None => verdict,
    }
}

/// A search without reduction finds the same traces. Both searches stop at a failure, so then there is
/// nothing to compare.
fn compare_traces(
    optimal: &Value,
    all: Result<&Value, String>,
    differs: &mut impl FnMut(String, String),
) {
    if optimal["verdict"] == "violation" {
        return;
    }
    let found: u64 =
        ["executions", "blocked", "cut"].iter().filter_map(|k| optimal[k].as_u64()).sum();
    match all {
        Err(problem) => differs("exhaustive search".to_owned(), problem),
        Ok(all) if !all["stopped"].is_null() => {
            differs("complete exhaustive search".to_owned(), outcome(all));
        }
        Ok(all) if all["traces"] != found => {
            differs(format!("{} traces (exhaustive)", all["traces"]), found.to_string());
        }
        Ok(_) => {}
    }
    if optimal["redundant"] != 0 {
        differs("nothing redundant".to_owned(), optimal["redundant"].to_string());
    }
}
