//! `raddle check` and `raddle print` on the command line.

use crate::common::{file, raddle};
use serde_json::Value;

fn checked(args: &[&str]) -> (Option<i32>, Value) {
    let ran = raddle(&[&["check", "--json"], args].concat());
    let object = serde_json::from_str(ran.out.trim_end());
    (ran.status, object.unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

#[test]
fn dekker_excludes_under_sc_only() {
    let ran = raddle(&["check", "examples/dekker.rir", "--model", "sc"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("examples/dekker.rir under sc: safe\n"), "{}", ran.out);
    for model in ["tso", "pso"] {
        let ran = raddle(&["check", "examples/dekker.rir", "--model", model]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.out.contains("both threads are in the critical section"), "{}", ran.out);
        assert!(ran.out.contains("  why: P1 read flag0 = 0 at dekker.rir:18"), "{}", ran.out);
    }
}

#[test]
fn the_witness_reads_as_a_story() {
    let ran = raddle(&["check", "examples/dekker.rir", "--model", "tso"]);
    let (_, story) = ran.out.split_once("(1 execution)\n").expect("a violation");
    let (story, _) = story.split_once("\n  3 executions").expect("the counts");
    let expected = r#"
       line  P0                            P1
       ----  ----------------------------  ---------------------------
  * 1    17  writes flag0 = 1 (buffered)                                store i32 asm %mine, 1
  * 2    17                                writes flag1 = 1 (buffered)
  * 3    18  reads flag1 = 0                                            %seen = load i32 asm %other
  * 4    18                                reads flag0 = 0
    5    17                                flag1 = 1 reaches memory
    6    22                                updates inside from 0 to 1   %before = rmw add i32 asm @inside, 1
    7    17  flag0 = 1 reaches memory
    8    22  updates inside from 1 to 2
    9    24  assertion fails: both                                      assert %alone, "both threads are in the criti...
             threads are in the critical
             section

  why: P1 read flag0 = 0 at dekker.rir:18 because P0's store flag0 = 1 at dekker.rir:17 was still in its store buffer;
    likewise P0 read flag1 = 0 at dekker.rir:18 while P1's store at dekker.rir:17 was in its own
"#;
    assert_eq!(story, expected);
}

#[test]
fn fences_repair_it_under_every_model() {
    let ran = raddle(&["check", "examples/dekker-fenced.rir", "--model", "sc,tso,pso"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(ran.out.matches(": safe\n").count(), 3, "{}", ran.out);
}

#[test]
fn json_has_the_promised_fields() {
    let (status, object) = checked(&["examples/dekker.rir", "--model", "tso"]);
    assert_eq!(status, Some(1));
    for field in [
        "file",
        "model",
        "strategy",
        "verdict",
        "executions",
        "blocked",
        "redundant",
        "errors",
        "bounds",
        "stopped",
        "seconds",
        "events",
    ] {
        assert!(object.get(field).is_some(), "{field} is missing in {object}");
    }
    let error = &object["errors"][0];
    assert_eq!(error["kind"], "assertion");
    assert_eq!(error["file"], "examples/dekker.rir");
    assert_eq!(error["line"], 24);
    assert_eq!(error["message"], "both threads are in the critical section");
    assert_eq!(error["confirmed"], true);
    assert!(error["count"].as_u64() >= Some(1));
    assert!(error["schedule"].as_array().is_some_and(|steps| !steps.is_empty()));
}

#[test]
fn deadlocks_are_found() {
    for strategy in ["optimal", "source", "exhaustive"] {
        let (status, object) =
            checked(&["examples/deadlock.rir", "--model", "sc", "--strategy", strategy]);
        assert_eq!(status, Some(1), "{strategy}: {object}");
        assert_eq!(object["errors"][0]["kind"], "deadlock", "{strategy}");
    }
}

#[test]
fn lost_increments_are_found_with_spawned_threads() {
    let (status, object) = checked(&["examples/counter.rir", "--model", "tso"]);
    assert_eq!(status, Some(1), "{object}");
    assert_eq!(object["errors"][0]["thread"], "main");
}

#[test]
fn limits_end_in_unknown() {
    let (status, object) =
        checked(&["examples/dekker-fenced.rir", "--model", "tso", "--max-executions", "1"]);
    assert_eq!(status, Some(3), "{object}");
    assert_eq!(object["verdict"], "unknown");
    assert_eq!(object["stopped"], "executions");
}

#[test]
fn random_schedules_never_prove() {
    let args =
        ["examples/dekker-fenced.rir", "--model", "sc", "--strategy", "random", "--runs", "20"];
    let (status, object) = checked(&args);
    assert_eq!(status, Some(3), "{object}");
    assert_eq!(object["stopped"], "sampling");
}

const COUNT: &str = r#"
program "count"
global @x: i32
thread P0 = @count()
func @count() {
  reg %r: i32, %n: i32, %z: i1
entry:
  %n = move i32 0
  jump again
again:
  %r = load i32 asm @x
  %n = add i32 %n, 1
  %z = cmp eq i32 %r, 0
  br %z, again, done
done:
  ret
}
"#;

#[test]
fn bounds_are_reported_and_strict_makes_them_unknown() {
    let path = file("count", "count.rir", COUNT.as_bytes());
    let unrolled = checked(&[path.as_str(), "--model", "sc", "--unroll", "3"]).1;
    assert_eq!(unrolled["bounds"][0]["kind"], "iterations");
    assert_eq!(unrolled["bounds"][0]["line"], 14);
    let args = [path.as_str(), "--model", "sc", "--max-events", "10"];
    let (status, object) = checked(&args);
    assert_eq!(status, Some(0), "{object}");
    assert_eq!(object["verdict"], "safe-bounded");
    assert_eq!(object["bounds"][0]["kind"], "events");
    assert_eq!(object["bounds"][0]["line"], 11);
    let (status, _) = checked(&[&args[..], &["--strict"]].concat());
    assert_eq!(status, Some(3));
}

#[test]
fn litmus_tests_are_checked_by_their_condition() {
    let (status, object) = checked(&["examples/MP.litmus", "--model", "pso"]);
    assert_eq!(status, Some(1), "{object}");
    let error = &object["errors"][0];
    assert_eq!(error["kind"], "condition");
    assert_eq!(error["confirmed"], true);
    assert!(error["schedule"].as_array().is_some_and(|steps| !steps.is_empty()), "{error}");
    assert_eq!(error["state"], serde_json::json!({ "1:EAX": 1, "1:EBX": 0 }));
    let (status, _) = checked(&["examples/SB.litmus", "--model", "tso"]);
    assert_eq!(status, Some(0), "an exists is never a violation");
}

#[test]
fn what_print_prints_reads_back() {
    for name in ["examples/SB.litmus", "examples/counter.rir"] {
        let printed = raddle(&["print", name]);
        assert_eq!(printed.status, Some(0), "{printed:?}");
        let again =
            file(&format!("print_{}", name.replace('/', "_")), "a.rir", printed.out.as_bytes());
        let reprinted = raddle(&["print", &again]);
        assert_eq!(reprinted.status, Some(0), "{reprinted:?}");
        assert_eq!(printed.out, reprinted.out);
    }
}

#[test]
fn help_and_version() {
    let help = raddle(&["--help"]);
    assert_eq!(help.status, Some(0));
    assert!(help.out.contains("Examples:") && help.out.contains("Exit status:"), "{}", help.out);
    let version = raddle(&["--version"]);
    assert_eq!(version.out, format!("raddle {}\n", env!("CARGO_PKG_VERSION")));
}
