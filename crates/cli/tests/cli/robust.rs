//! `raddle robust`: answers, witnesses, statuses.

use crate::common::{Ran, command, raddle, scratch, with_clang};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

fn answers(args: &[&str]) -> (Option<i32>, Vec<Value>) {
    let ran = raddle(&[&["robust", "--json"], args].concat());
    let lines = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (ran.status, lines.collect())
}

#[test]
fn store_buffering_is_not_robust_and_says_why() {
    for by in ["monitor", "cycles"] {
        let (status, found) = answers(&["examples/SB.litmus", "--model", "tso", "--by", by]);
        assert_eq!(status, Some(1), "{by}");
        let answer = &found[0];
        assert_eq!(answer["file"], "examples/SB.litmus");
        assert_eq!(answer["model"], "tso");
        assert_eq!(answer["by"], by);
        assert_eq!(answer["robust"], false);
        assert!(answer["executions"].as_u64() > Some(0));
        let witness = &answer["witness"];
        assert_eq!(witness["store"]["line"], 6);
        assert_eq!(witness["overtaken_by"]["line"], 7);
        assert_eq!(witness["fence"]["after"]["line"], 6);
        assert_eq!(witness["fence"]["before"]["line"], 7);
        let edges: Vec<&str> = witness["cycle"]
            .as_array()
            .expect("a cycle")
            .iter()
            .map(|link| link["edge"].as_str().expect("an edge"))
            .collect();
        assert_eq!(edges, ["po", "fr", "po", "fr"], "{by}");
    }
}

#[test]
fn fences_make_it_robust_by_all_ways() {
    for by in ["monitor", "cycles", "count"] {
        let (status, found) =
            answers(&["examples/SB+mfences.litmus", "--model", "tso,pso", "--by", by]);
        assert_eq!(status, Some(0), "{by}");
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|answer| answer["robust"] == true && answer["witness"].is_null()));
    }
}

#[test]
fn message_passing_is_robust_under_tso_only() {
    let (status, found) = answers(&["examples/MP.litmus", "--model", "tso,pso"]);
    assert_eq!(status, Some(1));
    let robust: Vec<&Value> = found.iter().map(|answer| &answer["robust"]).collect();
    assert_eq!(robust, [&Value::Bool(true), &Value::Bool(false)]);
}

#[test]
fn several_programs_have_several_answers() {
    let (status, found) =
        answers(&["examples/SB.litmus", "examples/dekker-fenced.rir", "--model", "tso"]);
    assert_eq!(status, Some(1));
    assert_eq!(found[0]["robust"], false);
    assert_eq!(found[1]["robust"], true);
}

#[test]
fn a_limit_leaves_it_unknown_unless_a_witness_was_found() {
    let limited = ["--model", "tso", "--max-executions", "1"];
    let (status, found) = answers(&[&["examples/dekker-fenced.rir"], &limited[..]].concat());
    assert_eq!(status, Some(3));
    assert!(found[0]["robust"].is_null());
    assert_eq!(found[0]["unknown"][0], "executions");
    let (status, found) = answers(&[&["examples/SB.litmus"], &limited[..]].concat());
    assert_eq!((status, &found[0]["robust"]), (Some(1), &Value::Bool(false)));
}

/// No way claims more than it has seen, whatever the limit.
#[test]
fn every_limit_leaves_every_way_unknown() {
    let file = "examples/dekker-fenced.rir";
    for by in ["monitor", "cycles", "count"] {
        for (limit, why) in
            [(&["--max-executions", "1"][..], "executions"), (&["--max-events", "1"], "bounds")]
        {
            let asked = [&[file, "--model", "tso", "--by", by], limit].concat();
            let (status, found) = answers(&asked);
            assert_eq!(status, Some(3), "{asked:?}");
            assert!(found[0]["robust"].is_null() && found[0]["witness"].is_null(), "{asked:?}");
            let unknown = found[0]["unknown"].as_array().expect("reasons");
            assert!(unknown.iter().any(|reason| reason == why), "{asked:?}: {unknown:?}");
        }
    }
    let shown = raddle(&["robust", file, "--model", "tso", "--max-executions", "1"]);
    assert!(shown.out.contains("under tso: unknown\n  stopped early: "), "{}", shown.out);
}

#[test]
fn the_text_names_store_access_cycle_and_fence() {
    let shown = raddle(&["robust", "examples/MP.litmus", "--model", "pso"]).out;
    for part in [
        "delayed: P0 writes data = 1 (buffered) at ",
        "overtaken by: P0 writes flag = 1 (buffered) at ",
        ", read (rf) by\n",
        ", which missed (fr)\n",
        "a fence cuts it: in P0 between examples/MP.litmus:",
        ", one that orders stores is enough\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = raddle(&["robust", "examples/SB.litmus", "--model", "tso"]).out;
    assert!(shown.contains(", one that drains the buffer\n"), "{shown}");
}

#[test]
fn sc_is_refused() {
    let ran = raddle(&["robust", "examples/SB.litmus", "--model", "sc"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("expected tso or pso"), "{}", ran.err);
}

/// A pipe can be read only once, and all models want to.
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
    assert_eq!(counts, [("tso".into(), 0.into()), ("pso".into(), 1.into())]);
    assert_eq!(ran.status, Some(1));
}

#[test]
fn logs_are_monitored() {
    let folder = scratch("monitor-logs");
    let log = folder.join("figure6.log");
    std::fs::write(&log, "1 w a @l1\n1 r a @l2\n1 r b @l3\n2 w b @l4\n2 w a @l5\n")
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
        // What the monitor finds on some runs, the complete way finds in any case; where the table
        // has a dash, there is nothing to find.
        let answer = raddle(&["robust", &file, "--model", "tso"]);
        assert_eq!(answer.status, Some(i32::from(tso)), "{name}: {}{}", answer.out, answer.err);
    }
}

/// Automata never end: without `--by` they are decided by attacks, also where they lock memory.
#[test]
fn automata_are_decided_by_attacks() {
    for (name, robust) in [("parker", false), ("the", false), ("stack", true), ("clh", true)] {
        let (status, found) = answers(&[&format!("tests/automata/{name}.aut"), "--model", "tso"]);
        assert_eq!(status, Some(i32::from(!robust)), "{name}: {found:?}");
        assert_eq!(found[0]["by"], "attacks");
        assert_eq!(found[0]["witness"].is_null(), robust);
    }
}
