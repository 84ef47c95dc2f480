//! `raddle monitor`: logs, programs, and files that are neither.

use crate::common::{Ran, command, file, raddle, scratch, with_clang};
use raddle_engine::Model;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

const BUFFERING: &[u8] = b"0 w x @a:1\n0 r y @a:2\n1 w y @b:1\n1 r x @b:2\n";

/// A pipe can be read only once, but every model needs its contents.
#[test]
fn logs_from_a_pipe_are_monitored_for_every_model() {
    let mut command = command(&["monitor", "-", "--json"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the command starts");
    let log = b"0 w x\n0 w y\n1 r y\n1 r x\n";
    child.stdin.take().expect("a pipe").write_all(log).expect("it reads");
    let ran: Ran = child.wait_with_output().expect("it ends").into();
    let counts: Vec<(Value, Value)> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|object| (object["model"].clone(), object["distinct"].clone()))
        .collect();
    assert_eq!(counts[..2], [("tso".into(), 0.into()), ("pso".into(), 1.into())]);
    assert_eq!(counts.len(), Model::ALL.into_iter().filter(|model| model.is_buffered()).count());
    assert_eq!(ran.status, Some(1));
}

#[test]
fn logs_are_monitored() {
    let folder = scratch("monitor-logs");
    let log = folder.join("figure6.log");
    std::fs::write(&log, "\u{feff}1 w a @l1\n1 r a @l2\n1 r b @l3\n2 w b @l4\n2 w a @l5\n")
        .expect("a file");
    let path = log.to_str().expect("a path");
    let ran = raddle(&["monitor", path, "--model", "tso", "--json"]);
    assert_eq!(ran.status, Some(1));
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(found["events"], 5);
    let seen = &found["violations"][0];
    assert_eq!([&seen["store"], &seen["prev"], &seen["access"]], ["l1", "l4", "l5"]);
    std::fs::write(&log, "1 w a\n1 q a\n").expect("a file");
    let ran = raddle(&["monitor", path]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("an unknown operation"), "{}", ran.err);
    assert!(ran.err.contains(":2:3"), "{}", ran.err);
    assert_eq!(raddle(&["monitor", path, "--runs", "3"]).status, Some(2));
    assert_eq!(raddle(&["monitor", "no-such.log"]).status, Some(2));
}

/// Paper 001, table 1: which benchmarks have violations under TSO and under PSO.
#[test]
fn programs_have_the_violations_of_the_papers_table() {
    for (name, tso) in [
        ("dekker", true),
        ("bakery", true),
        ("msn", false),
        ("ms2", false),
        ("harris", false),
        ("lazylist", false),
        ("snark", false),
    ] {
        let file = format!("tests/c/monitor/{name}.c");
        let flags = ["--json", "--interlocked", "address"];
        let asked = [&["monitor", &file], &flags[..]].concat();
        let Some(ran) = with_clang(&asked) else { return };
        assert_eq!(ran.status, Some(1), "{name}: {}", ran.err);
        let rows: Vec<Value> =
            ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let violating = |row: &Value| row["violating"].as_u64() > Some(0);
        assert_eq!(violating(&rows[0]), tso, "{name} under tso");
        assert!(violating(&rows[1]), "{name} under pso");
        // The monitor finds violations on some runs; `raddle robust` always finds them. Where the table has a
        // dash, there is no violation.
        let answer = raddle(&["robust", &file, "--model", "tso"]);
        assert_eq!(answer.status, Some(i32::from(tso)), "{name}: {}{}", answer.out, answer.err);
    }
}

/// Runs that were not made, or that reached something unsupported, might have shown a violation.
#[test]
fn runs_that_are_missing_make_it_unknown() {
    let ran = raddle(&["monitor", "examples/counter.rir", "--runs", "9", "--max-executions", "3"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    let text = b"thread t = @f()\nfunc @f() {\n  entry:\n    unsupported \"signals\"\n    ret\n}\n";
    let ran = raddle(&["monitor", &file("monitor-unsupported", "p.rir", text), "--runs", "3"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
}

/// Several logs are several runs; one that cannot be read does not stop the others.
#[test]
fn several_logs_have_several_answers() {
    let good = file("monitor-several", "good.log", BUFFERING);
    let bad = file("monitor-several-bad", "bad.log", b"0 w x\n0 w\n");
    let ran = raddle(&["monitor", &bad, &good, "--model", "tso"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("bad.log:2:3: error: no address"), "{}", ran.err);
    assert!(ran.out.contains("good.log under tso: 1 distinct violation"), "{}", ran.out);
}

#[test]
fn a_log_beside_a_program_is_refused() {
    let log = file("monitor-beside", "run.log", BUFFERING);
    let ran = raddle(&["monitor", &log, "examples/SB.litmus"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("expected logs only, or programs only"), "{}", ran.err);
}

#[test]
fn logs_that_are_no_files_are_told_like_other_files() {
    let missing = raddle(&["monitor", "no-such.log"]);
    assert_eq!((missing.status, &*missing.err), (Some(2), "no-such.log: error: no such file\n"));
    let folder = raddle(&["monitor", "examples"]);
    assert_eq!(folder.status, Some(2));
    assert!(folder.err.contains("this is a folder; expected a file"), "{}", folder.err);
}

/// Options without an effect are refused.
#[test]
fn options_of_programs_are_refused_for_logs() {
    let log = file("monitor-options", "run.log", BUFFERING);
    for option in [
        &["--runs", "3"][..],
        &["--seed", "3"],
        &["--unroll", "3"],
        &["--strict"],
        &["--interlocked", "address"],
    ] {
        let ran = raddle(&[&["monitor", &log], option].concat());
        assert_eq!(ran.status, Some(2), "{option:?}");
        let wanted = format!("{}: for programs, not for a log", option[0]);
        assert!(ran.err.contains(&wanted), "{option:?}: {}", ran.err);
        assert!(ran.err.contains("Usage: raddle monitor [OPTIONS] <FILE>..."), "{}", ran.err);
    }
    assert_eq!(raddle(&["monitor", &log, "--", "-O2"]).status, Some(2));
}
