//! `--sarif` and `--junit`: files for other tools. `make validate` checks them by their official schemas.

use crate::common::{Ran, command, file, raddle, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// A run with both reports.
fn reported(test: &str, args: &[&str]) -> (Ran, Value, String) {
    let folder = scratch(test);
    let [sarif, junit] = ["r.sarif", "r.xml"].map(|name| folder.join(name));
    let [sarif_arg, junit_arg] = [&sarif, &junit].map(|path| path.to_str().expect("UTF-8"));
    let ran = raddle(&[args, &["--sarif", sarif_arg, "--junit", junit_arg]].concat());
    let log = serde_json::from_str(&fs::read_to_string(sarif).expect("the log")).expect("JSON");
    let junit = fs::read_to_string(junit).expect("the report");
    (ran, log, junit)
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().expect("results")
}

#[test]
fn a_violation_is_one_result_with_its_flows() {
    let args = ["check", "examples/dekker.rir", "-m", "sc,tso,pso"];
    let (ran, log, junit) = reported("reports-violation", &args);
    assert_eq!(ran.status, Some(1));
    assert_eq!(
        (&log["version"], &log["runs"][0]["invocations"][0]["exitCode"]),
        (&"2.1.0".into(), &1.into())
    );
    let [result] = &results(&log)[..] else { panic!("{log:#}") };
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    let index = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(
        (&rules[index]["id"], &result["ruleId"]),
        (&"assertion".into(), &"assertion".into())
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "examples/dekker.rir");
    assert!(place["region"]["startLine"].as_u64() > Some(1), "{place}");
    assert_eq!(result["properties"]["models"], serde_json::json!(["tso", "pso"]));
    let flows = result["codeFlows"].as_array().expect("flows");
    assert_eq!(flows.len(), 2);
    let threads = flows[0]["threadFlows"].as_array().expect("threads");
    let steps: Vec<&Value> =
        threads.iter().flat_map(|flow| flow["locations"].as_array().expect("steps")).collect();
    let orders: BTreeSet<u64> =
        steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
    assert_eq!(
        (threads.len(), orders.len()),
        (2, steps.len()),
        "each step has its own place in the order"
    );
    assert!(steps.iter().any(|step| step["importance"] == "essential"));
    assert!(
        junit.contains("<testcase name=\"check under sc\" classname=\"examples/dekker.rir\""),
        "{junit}"
    );
    assert_eq!(junit.matches("<failure type=\"assertion\"").count(), 2, "{junit}");
}

#[test]
fn fingerprints_survive_lines_above() {
    let text = fs::read_to_string(crate::common::root().join("examples/dekker.rir")).expect("it");
    let print = |test: &str, text: &str| {
        let path = file(&format!("{test}-source"), "d.rir", text.as_bytes());
        let (_, log, _) = reported(test, &["check", &path, "-m", "tso"]);
        (results(&log)[0]["partialFingerprints"].clone(), results(&log)[0]["locations"].clone())
    };
    let (before, place) = print("reports-print-1", &text);
    let (after, moved) = print("reports-print-2", &format!("\n\n{text}"));
    assert_eq!(before, after);
    assert_ne!(place, moved);
}

#[test]
fn suppressed_errors_have_their_justification() {
    let args =
        ["check", "examples/dekker.rir", "-m", "tso", "--suppress", "assertion@dekker.rir=known"];
    let (ran, log, junit) = reported("reports-suppressed", &args);
    assert_eq!(ran.status, Some(0));
    assert_eq!(results(&log)[0]["suppressions"][0]["justification"], "known");
    assert!(!junit.contains("<failure"), "{junit}");
}

#[test]
fn input_that_is_refused_is_reported() {
    let path = file("reports-bad-source", "bad.rir", b"thread t = @nothing()\n");
    let (ran, log, junit) = reported("reports-bad", &["check", &path, "-m", "sc"]);
    assert_eq!(ran.status, Some(2));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    assert!(junit.contains("<error type=\"input\""), "{junit}");
}

/// The places of a file whose name is not UTF-8, which messages spell in words, are places of that file.
#[test]
fn places_lead_to_files_of_any_name() {
    let folder = scratch("reports-names");
    let name = OsStr::from_bytes(b"d\xff %#.rir");
    fs::copy(crate::common::root().join("examples/deadlock.rir"), folder.join(name)).expect("it");
    let mut command = command(&["check", "-m", "sc", "--sarif", "r.sarif"]);
    command.arg(name).current_dir(&folder).output().expect("the command starts");
    let log = fs::read_to_string(folder.join("r.sarif")).expect("the log");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let place = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.as_str().is_some_and(|uri| uri.ends_with("d%FF%20%25%23.rir")), "{place}");
}

#[test]
fn other_commands_report_as_well() {
    let (_, log, junit) =
        reported("reports-robust", &["robust", "examples/dekker.rir", "-m", "tso"]);
    assert_eq!(results(&log)[0]["ruleId"], "not-robust");
    assert!(junit.contains("<failure type=\"not-robust\""), "{junit}");
    let (_, log, _) =
        reported("reports-reach", &["reach", "tests/automata/peterson.aut", "-m", "tso"]);
    assert_eq!(results(&log)[0]["ruleId"], "goal");
    let (_, log, junit) = reported(
        "reports-litmus",
        &["litmus", "examples/MP.litmus", "examples/SB.litmus", "-m", "sc,tso"],
    );
    assert!(results(&log).is_empty());
    assert_eq!(junit.matches("<testcase ").count(), 4, "{junit}");
}

#[test]
fn reports_do_not_overwrite_inputs() {
    let path = file("reports-input", "d.rir", b"");
    let ran = raddle(&["check", &path, "-m", "sc", "--sarif", &path]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    let ran = raddle(&[
        "check",
        "examples/dekker.rir",
        "-m",
        "sc",
        "--sarif",
        "target/x",
        "--junit",
        "target/x",
    ]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
}

/// The source with the fixes of all results.
fn fixed(source: &str, results: &[Value]) -> String {
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let mut insertions: BTreeSet<(usize, &str)> = BTreeSet::new();
    for result in results {
        let changes = &result["fixes"][0]["artifactChanges"];
        for part in changes[0]["replacements"].as_array().expect("replacements") {
            let region = &part["deletedRegion"];
            let number = |name: &str| region[name].as_u64().expect("a number") as usize;
            assert_eq!(number("startLine"), number("endLine"), "{result}");
            assert_eq!((number("startColumn"), number("endColumn")), (1, 1), "{result}");
            let text = part["insertedContent"]["text"].as_str().expect("a text");
            insertions.insert((number("startLine"), text));
        }
    }
    let mut out = String::new();
    for (number, line) in lines.into_iter().enumerate() {
        insertions.iter().filter(|(at, _)| *at == number + 1).for_each(|(_, text)| out += text);
        out += line;
    }
    out
}

#[test]
fn fences_are_results_with_fixes() {
    let args = ["fence", "examples/dekker.rir", "--model", "power"];
    let (ran, log, junit) = reported("reports-fence", &args);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!results(&log).is_empty(), "{log:#}");
    assert!(results(&log).iter().all(|result| result["ruleId"] == "needs-fence"), "{log:#}");
    assert!(junit.contains("<failure type=\"needs-fence\""), "{junit}");
    let source = fs::read_to_string(crate::common::root().join("examples/dekker.rir"));
    let source = fixed(&source.expect("the example"), results(&log));
    let path = file("reports-fenced-source", "dekker.rir", source.as_bytes());
    let (ran, log, junit) = reported("reports-fenced", &["fence", &path, "--model", "power"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(results(&log).is_empty() && !junit.contains("<failure"), "{log:#}\n{source}");
}
