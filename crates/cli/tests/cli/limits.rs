//! Limits: a search that ends early claims no more than it found.

use crate::common::{file, raddle};
use serde_json::Value;

/// A robust program with too many traces and states to visit: two writers that load a location that no
/// thread writes, and a reader of both.
pub(crate) fn endless(test: &str) -> String {
    let text = "global @x: i32
global @y: i32
global @z: i32
const global @most: i32 = 3000
thread a = @write(@x)
thread b = @write(@y)
thread c = @read()
func @write(%cell: ptr) {
    reg %k: i32, %most: i32, %seen: i32, %more: i1
  entry:
    %k = move i32 0
    %most = load i32 asm @most
    jump again
  again:
    %k = add i32 %k, 1
    store i32 asm %cell, %k
    %seen = load i32 asm @z
    %more = cmp ult i32 %k, %most
    br %more, again, done
  done:
    ret
}
func @read() {
    reg %k: i32, %most: i32, %x: i32, %y: i32, %more: i1
  entry:
    %k = move i32 0
    %most = load i32 asm @most
    jump again
  again:
    %k = add i32 %k, 1
    %x = load i32 asm @x
    %y = load i32 asm @y
    %more = cmp ult i32 %k, %most
    br %more, again, done
  done:
    ret
}
";
    file(test, "endless.rir", text.as_bytes())
}

fn asked(args: &[&str]) -> (Option<i32>, Vec<Value>) {
    let ran = raddle(args);
    let lines = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (ran.status, lines.collect())
}

/// Every limit with every method for robustness: the answer is unknown, with one reason, and exit status 3.
#[test]
fn robustness_is_unknown_after_every_limit() {
    let path = endless("limits-robust");
    let limits: [(&[&str], &str); 5] = [
        (&["--timeout", "0.1"], "time"),
        (&["--max-memory", "1"], "memory"),
        (&["--max-executions", "1"], "executions"),
        (&["--max-events", "3"], "bounds"),
        (&["--unroll", "1"], "bounds"),
    ];
    for (model, by) in [
        ("tso", "monitor"),
        ("pso", "monitor"),
        ("tso", "cycles"),
        ("pso", "cycles"),
        ("tso", "count"),
        ("pso", "count"),
        ("tso", "attacks"),
    ] {
        // Attacks are searched among states, not executions, so the other limits do not apply.
        let limits = if by == "attacks" { &limits[..2] } else { &limits[..] };
        for (limit, why) in limits {
            let args = ["robust", &path, "--json", "--model", model, "--by", by];
            let (status, found) = asked(&[&args[..], limit].concat());
            assert_eq!(status, Some(3), "{model} {by} {limit:?}");
            let answer = &found[0];
            assert!(answer["robust"].is_null(), "{model} {by} {limit:?}: {answer}");
            assert!(answer["witness"].is_null(), "{model} {by} {limit:?}: {answer}");
            assert_eq!(answer["unknown"], serde_json::json!([why]), "{model} {by} {limit:?}");
            assert_eq!(
                answer["bounds"].as_array().is_some_and(|b| !b.is_empty()),
                *why == "bounds"
            );
        }
    }
}

/// The text names the limit, and each bound with its place.
#[test]
fn the_text_of_robustness_names_the_limit() {
    let path = endless("limits-text");
    for (limit, wanted) in [
        (["--timeout", "0.1"], "stopped early: time ran out"),
        (["--max-memory", "1"], "stopped early: the limit on memory was reached"),
        (["--max-executions", "1"], "stopped early: the limit on executions was reached"),
        (["--unroll", "1"], "bound met: a loop went back as often as it may (--unroll) at "),
        (["--max-events", "3"], "bound met: a thread had as many events as it may (--max-events)"),
    ] {
        let ran = raddle(&[&["robust", &path, "--model", "tso"], &limit[..]].concat());
        assert_eq!(ran.status, Some(3), "{limit:?}");
        assert!(ran.out.contains("under tso: unknown\n"), "{limit:?}: {}", ran.out);
        assert_eq!(ran.out.matches(wanted).count().min(1), 1, "{limit:?}: {}", ran.out);
    }
}

/// A witness that was found before the limit is an answer.
#[test]
fn a_witness_stands_whatever_the_limit() {
    for by in ["monitor", "cycles", "attacks"] {
        let args = ["robust", "examples/SB.litmus", "--json", "--model", "tso", "--by", by];
        // Attacks are searched among states.
        let limit = if by == "attacks" { ["--timeout", "9"] } else { ["--max-executions", "4"] };
        let (status, found) = asked(&[&args[..], &limit].concat());
        assert_eq!((status, &found[0]["robust"]), (Some(1), &Value::Bool(false)), "{by}");
    }
}

/// Beside a witness, the text does not mention bounds.
#[test]
fn bounds_are_not_told_beside_a_witness() {
    let args = ["robust", "tests/automata/peterson.aut", "--model", "pso", "--unroll", "3"];
    let ran = raddle(&args);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("bound"), "{}", ran.out);
}

/// A limit reduces the number of random runs, and the output says so.
#[test]
fn monitored_runs_say_what_limited_them() {
    let path = endless("limits-monitor");
    for (limit, why) in [
        (&["--timeout", "0.1", "--runs", "100000"][..], "time"),
        (&["--max-executions", "1", "--unroll", "10"], "executions"),
    ] {
        let args = ["monitor", &path, "--json", "--model", "tso"];
        let (status, found) = asked(&[&args[..], limit].concat());
        assert_eq!(status, Some(3), "{limit:?}");
        assert_eq!(found[0]["stopped"], why, "{limit:?}");
    }
    let bounded = ["monitor", &path, "--json", "--model", "tso", "--runs", "3", "--unroll", "5"];
    let (status, found) = asked(&bounded);
    assert_eq!(status, Some(0));
    assert!(found[0]["stopped"].is_null());
    assert_eq!(found[0]["bounds"][0]["kind"], "iterations");
    assert_eq!(found[0]["bounds"][0]["count"], 3);
    assert_eq!(asked(&[&bounded[..], &["--strict"]].concat()).0, Some(3));
}

/// Without an answer, `raddle fence` gives the reason and no number of fences.
#[test]
fn fences_are_unknown_after_every_limit() {
    let path = endless("limits-fence");
    for (model, limit, wanted) in [
        ("tso", ["--timeout", "0.1"], "time"),
        ("tso", ["--max-memory", "1"], "memory"),
        ("pso", ["--timeout", "0.1"], "time ran out"),
        ("pso", ["--max-memory", "1"], "the limit on memory was reached"),
        ("pso", ["--max-executions", "1"], "the limit on executions was reached"),
        ("pso", ["--unroll", "1"], "a search met a bound"),
    ] {
        let args = ["fence", &path, "--json", "--model", model];
        let (status, found) = asked(&[&args[..], &limit[..]].concat());
        assert_eq!(status, Some(3), "{model} {limit:?}: {found:?}");
        assert!(found[0]["count"].is_null(), "{model} {limit:?}");
        let why = found[0]["why"].as_str().unwrap_or_default();
        assert!(why.contains(wanted), "{model} {limit:?}: {why}");
    }
}

/// A command refuses a limit that it does not use.
#[test]
fn limits_on_executions_are_refused_where_states_are_searched() {
    for command in [
        &["check", "examples/SB.litmus", "--model", "sc,tso", "--strategy", "lazy"][..],
        &["robust", "examples/SB.litmus", "--model", "tso", "--by", "attacks"],
        &["fence", "examples/SB.litmus", "--model", "tso"],
        &["robust", "tests/automata/peterson.aut", "--model", "tso"],
        &["fence", "tests/automata/peterson.aut", "--model", "tso", "--goal"],
    ] {
        for option in ["--max-executions", "--max-events", "--unroll"] {
            let ran = raddle(&[command, &[option, "5"]].concat());
            assert_eq!(ran.status, Some(2), "{command:?} {option}");
            let wanted = format!("{option} is for searches of executions");
            assert!(ran.err.contains(&wanted), "{command:?}: {}", ran.err);
        }
    }
    // A condition is checked on executions, so a limit on executions applies.
    let condition = ["fence", "examples/SB.litmus", "--model", "tso", "--goal"];
    assert_eq!(raddle(&[&condition[..], &["--max-executions", "1000"]].concat()).status, Some(0));
}

/// The time limit applies to all models together: each gets a share of the remaining time.
#[test]
fn models_share_the_time() {
    let path = endless("limits-shared");
    let start = std::time::Instant::now();
    let models = ["check", &path, "--json", "--model", "sc,tso,pso", "--timeout", "0.6"];
    let (status, found) = asked(&models);
    assert_eq!((status, found.len()), (Some(3), 3));
    for answer in &found {
        assert_eq!(answer["stopped"], "time");
        assert!(answer["events"].as_u64().is_some_and(|events| events > 0), "{answer}");
    }
    assert!(start.elapsed().as_secs_f64() < 3.0, "{:?}", start.elapsed());
}

/// Negative numbers are invalid values. The message does not suggest to write them after `--`.
#[test]
fn negative_limits_are_refused_as_values() {
    for option in [
        "--buffer-bound",
        "--unroll",
        "--max-executions",
        "--max-events",
        "--max-memory",
        "--timeout",
    ] {
        let ran = raddle(&["check", "examples/SB.litmus", "--model", "tso", option, "-1"]);
        assert_eq!(ran.status, Some(2), "{option}");
        assert!(ran.err.contains(option) && ran.err.contains("-1"), "{option}: {}", ran.err);
        assert!(!ran.err.contains("unexpected argument"), "{option}: {}", ran.err);
    }
}
