//! Progress on standard error, and estimates instead of results.

use crate::common::{Ran, command, file, raddle, with_clang};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// A program of `n` threads that store to one cell: `n!` executions.
fn writers(test: &str, n: u32) -> String {
    let mut source = "global @x: i32\n".to_owned();
    for k in 0..n {
        let body = format!("entry:\nstore i32 asm @x, {k}\nret\n");
        write!(source, "thread t{k} = @p{k}()\nfunc @p{k}() {{\n{body}}}\n").expect("a string");
    }
    file(test, "writers.rir", source.as_bytes())
}

#[test]
fn nothing_is_shown_without_a_terminal() {
    let path = writers("quiet", 12);
    for (name, model) in [("check", "tso"), ("robust", "tso"), ("reach", "tso"), ("fence", "tso")] {
        let ran = raddle(&[name, &path, "--model", model, "--timeout", "0.5"]);
        assert_eq!(ran.err, "", "{name}");
    }
}

/// Whatever `fence` does, it says so: it judges programs, strengthens sets and compiles edits.
#[test]
fn fences_show_what_is_known_so_far() {
    let path = writers("fencing", 7);
    let ran = raddle(&["fence", &path, "--model", "power", "--progress=0.01"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(!lines.is_empty(), "{ran:?}");
    assert!(lines.iter().all(|line| line.starts_with("progress: ")), "{ran:?}");
    let path = "tests/c/programs/spsc_ring.c";
    let args = ["fence", path, "--model", "power", "--progress=0.001"];
    let Some(ran) = with_clang(&args) else { return };
    let seen = |what: &str| ran.err.contains(what);
    assert!(seen("progress: program ") && seen("finding edits of the source, "), "{}", ran.err);
    assert!(seen(" clause, ") && seen(" fence"), "{}", ran.err);
}

#[test]
fn lines_are_shown_where_they_are_asked_for() {
    let path = writers("lines", 13);
    let args = ["check", &path, "--model", "tso", "--timeout", "1.2", "--progress=0.2"];
    let ran = raddle(&args);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!((2..=6).contains(&lines.len()), "{ran:?}");
    for line in &lines {
        assert!(line.starts_with("progress: tso, "), "{line}");
        assert!(line.contains(" executions") && line.ends_with(" MiB"), "{line}");
    }
    // 13! is 6,227,020,800; every probe finds exactly that.
    let last = lines[lines.len() - 1];
    assert!(last.contains(" of about 6.2 billion, ") && last.contains(" left, "), "{last}");
}

#[test]
fn searches_of_states_show_states() {
    let path = writers("states", 20);
    let args = ["robust", &path, "--model", "tso", "--by", "attacks", "--timeout", "1"];
    let ran = raddle(&[&args[..], &["--progress=0.2"]].concat());
    let last = ran.err.lines().last().expect("a line of progress");
    assert!(last.starts_with("progress: ") && last.contains(" states, "), "{last}");
    assert!(last.contains(" of them at depth "), "{last}");
}

#[test]
fn the_size_of_a_short_search_is_exact() {
    let ran = raddle(&["check", "examples/dekker.rir", "--model", "sc,pso", "--estimate"]);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("examples/dekker.rir under sc: "), "{lines:?}");
    assert!(lines[0].contains(" executions, all searched in "), "{lines:?}");
    assert!(lines[1].starts_with("examples/dekker.rir under pso: "), "{lines:?}");
    // No verdict, but the error is mentioned.
    assert!(lines[2].starts_with("  an error was met on the way: assertion "), "{lines:?}");
}

#[test]
fn the_size_of_a_long_search_is_estimated() {
    let path = writers("estimate", 14);
    for (command, searched) in [("check", "tso"), ("robust", "sc")] {
        let args = [command, &path, "--model", "tso", "--json", "--estimate=0.6"];
        let ran = raddle(&args);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{command}");
        let found: Value = serde_json::from_str(&ran.out).expect("an object");
        assert_eq!((&found["model"], &found["exact"]), (&searched.into(), &false.into()));
        let about = found["estimate"]["about"].as_f64().expect("a number");
        // 14!
        assert!((about / 87_178_291_200.0 - 1.0).abs() < 0.01, "{command}: {about}");
        assert!(found["probes"].as_u64() > Some(0), "{found}");
        assert!(found["total_seconds"]["high"].as_f64() > Some(1000.0), "{found}");
        assert_eq!(found["errors"], Value::Array(Vec::new()));
    }
    let ran = raddle(&["check", &path, "--model", "power", "--estimate=0.6"]);
    let first = ran.out.lines().next().expect("a line");
    let start = format!("{path} under power: about 87 billion executions, ");
    assert!(first.starts_with(&start), "{first}");
}

#[test]
fn estimates_that_make_no_sense_are_refused() {
    let path = "examples/dekker.rir";
    for args in [
        &["check", path, "--model", "tso", "--strategy", "lazy", "--estimate"][..],
        &["check", path, "--model", "tso", "--strategy", "exhaustive", "--estimate"],
        &["check", path, "--model", "tso", "--strategy", "random", "--estimate"],
        &["check", path, "--model", "tso", "--buffer-bound", "1", "--estimate"],
        &["check", path, "--model", "tso", "--buffer-bound", "iterate", "--estimate"],
        &["check", path, "--model", "tso", "--estimate", "--witness", "w.json"],
        &["check", path, "--model", "tso", "--estimate=0"],
        &["check", path, "--model", "tso", "--progress=-1"],
        &["robust", path, "--model", "tso", "--by", "attacks", "--estimate"],
        &["reach", path, "--model", "tso", "--estimate"],
    ] {
        let Ran { status, out, err } = raddle(args);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.starts_with("error: "), "{args:?}: {err}");
    }
}

/// On a terminal one line is drawn again and again, and taken away before the result. `script` of util-linux makes
/// the terminal.
#[test]
fn a_terminal_shows_one_line() {
    let path = writers("terminal", 12);
    let raddle = command(&[]).get_program().to_string_lossy().into_owned();
    let shown = |term: &str| {
        let run = format!("{raddle} check {path} --model tso --timeout 1.2");
        let mut script = Command::new("script");
        script.args(["-qec", &run, "/dev/null"]).env("TERM", term).env("NO_COLOR", "1");
        let ran = script.output().ok()?;
        Some(String::from_utf8_lossy(&ran.stdout).into_owned())
    };
    let (Some(live), Some(dumb)) = (shown("xterm"), shown("dumb")) else {
        return raddle_testing::missing("script");
    };
    assert!(live.contains("tso, 0 s: ") || live.contains("tso, 1 s: "), "{live}");
    let result = live.find("writers.rir under tso: unknown").expect("the result");
    // The line is erased before the result, and does not come again.
    assert!(live[..result].contains("\u{1b}[2K"), "{live}");
    assert!(!live[result..].contains(" left, "), "{live}");
    assert!(!dumb.contains(" of about ") && dumb.contains("under tso: unknown"), "{dumb}");
}
