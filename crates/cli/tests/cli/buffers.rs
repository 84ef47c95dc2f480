//! `--buffer-bound` on the command line.

use crate::common::{file, raddle, scratch};
use raddle_engine::Model;
use serde_json::{Value, json};

fn checked(args: &[&str]) -> (Option<i32>, Value) {
    let ran = raddle(&[&["check", "--json"], args].concat());
    let object = serde_json::from_str(ran.out.trim_end());
    (ran.status, object.unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

/// Fails if two stores of the writer are still buffered when its load is performed.
const TWO: &str = r#"
program "two"
global @x: i32
global @y: i32
global @f: i32
global @z: i32
thread P0 = @write()
thread P1 = @judge()
func @write() {
  reg %r: i32
entry:
  store i32 asm @x, 1
  store i32 asm @y, 1
  %r = load i32 asm @f
  %r = add i32 %r, 1
  fence mfence
  store i32 asm @z, %r
  ret
}
func @judge() {
  reg %s: i32, %r: i32, %ok: i1
entry:
  store i32 asm @f, 1
  fence mfence
  %s = load i32 asm @x
  %r = load i32 asm @z
  %s = mul i32 %s, 2
  %s = add i32 %s, 1
  %ok = cmp ne i32 %r, %s
  assert %ok, "both are old"
  ret
}
"#;

#[test]
fn a_bound_that_is_met_is_named() {
    let args = ["check", "examples/dekker.rir", "--model", "tso", "--buffer-bound", "0"];
    let ran = raddle(&args);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let heading = "examples/dekker.rir under tso with buffers of 0 stores: safe up to bounds\n";
    assert!(ran.out.starts_with(heading), "{}", ran.out);
    let bound = "bound met: a store buffer was full with 0 stores (--buffer-bound) at \
                 examples/dekker.rir:17 (3 executions)";
    assert!(ran.out.contains(bound), "{}", ran.out);
    assert_eq!(raddle(&[&args[..], &["--strict"]].concat()).status, Some(3));
}

#[test]
fn a_bound_that_is_not_met_is_none() {
    let args = ["examples/dekker-fenced.rir", "--model", "tso", "--buffer-bound", "1"];
    let (status, object) = checked(&args);
    assert_eq!(status, Some(0));
    assert_eq!((&object["verdict"], &object["buffer_bound"]), (&json!("safe"), &json!(1)));
    assert_eq!(object["bounds"], json!([]));
}

#[test]
fn json_has_the_bound_or_null() {
    let program = file("buffers_json", "two.rir", TWO.as_bytes());
    for (bound, verdict) in [(0, "safe-bounded"), (1, "safe-bounded"), (2, "violation")] {
        let text = bound.to_string();
        let (_, object) = checked(&[&program, "--model", "tso", "--buffer-bound", &text]);
        assert_eq!((&object["verdict"], &object["buffer_bound"]), (&json!(verdict), &json!(bound)));
        let kinds = object["bounds"].as_array().expect("a list").iter().map(|b| &b["kind"]);
        assert!(kinds.clone().all(|kind| kind == "buffer") && (bound > 1 || kinds.count() > 0));
        assert_eq!(object.get("executions_by_bound"), None);
    }
    let (_, object) = checked(&[&program, "--model", "tso"]);
    assert_eq!(object["buffer_bound"], Value::Null);
}

#[test]
fn raising_it_ends_at_the_bug() {
    let program = file("buffers_bug", "two.rir", TWO.as_bytes());
    let (status, object) = checked(&[&program, "--model", "tso", "--buffer-bound", "iterate"]);
    assert_eq!((status, &object["buffer_bound"]), (Some(1), &json!(2)));
    assert_eq!(object["executions_by_bound"].as_array().map(Vec::len), Some(3));
    let ran = raddle(&["check", &program, "--model", "tso", "--buffer-bound", "iterate"]);
    assert!(ran.out.contains("under tso with buffers of 2 stores: violation"), "{}", ran.out);
    assert!(ran.out.contains("found with buffers of 2 stores, not with fewer"), "{}", ran.out);
}

#[test]
fn raising_it_ends_when_buffers_are_never_full() {
    let args = ["examples/dekker-fenced.rir", "--model", "sc,pso", "--buffer-bound", "iterate"];
    let ran = raddle(&[&["check"], &args[..]].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("under sc: safe\n"), "{}", ran.out);
    assert!(ran.out.contains("under pso with buffers of 1 store: safe\n"), "{}", ran.out);
    let enough = "buffers of 1 store are never full: larger ones change nothing \
                  (executions from 0 stores up: 3, 3)";
    assert!(ran.out.contains(enough), "{}", ran.out);
}

#[test]
fn a_witness_replays_under_its_bound() {
    let program = file("buffers_witness", "two.rir", TWO.as_bytes());
    let path = scratch("buffers_witness_file").join("w.json");
    let path = path.to_str().expect("UTF-8");
    for (model, bound) in [("tso", 2), ("pso", 1)] {
        let text = bound.to_string();
        let check = ["check", &program, "--model", model, "--buffer-bound", &text];
        assert_eq!(raddle(&[&check[..], &["--witness", path]].concat()).status, Some(1));
        let ran = raddle(&["replay", path]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let heading = format!("under {model} with buffers of {bound} store");
        assert!(ran.out.contains(&heading), "{}", ran.out);
        let written = std::fs::read_to_string(path).expect("the witness");
        let mut document: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(document["witnesses"][0]["buffer_bound"], bound);
        document["witnesses"][0]["buffer_bound"] = json!(0);
        std::fs::write(path, document.to_string()).expect("a scratch file");
        let ran = raddle(&["replay", path]);
        assert_eq!(ran.status, Some(2), "the buffer holds less: {ran:?}");
    }
}

#[test]
fn litmus_tests_have_bounds_too() {
    let ran = raddle(&["litmus", "examples/SB.litmus", "--model", "tso", "--buffer-bound", "0"]);
    assert!(ran.out.contains("Observation SB Never 0 3"), "{}", ran.out);
    assert!(ran.out.contains("(tso with buffers of 0 stores, optimal)"), "{}", ran.out);
    let ran = raddle(&["litmus", "examples/SB.litmus", "--model", "tso", "--buffer-bound", "1"]);
    assert!(ran.out.contains("Observation SB Sometimes 1 3"), "{}", ran.out);
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    let refused = |args: &[&str], reason: &str| {
        let ran = raddle(args);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(ran.err.contains(reason), "{ran:?}");
    };
    let check = ["check", "examples/dekker.rir", "--model"];
    let buffered = Model::names(Model::ALL.into_iter().filter(|model| model.is_buffered()));
    let needed = format!("needs --model {buffered}");
    refused(&[&check[..], &["sc", "--buffer-bound", "1"]].concat(), &needed);
    refused(&[&check[..], &["tso", "--buffer-bound", "many"]].concat(), "a number of stores");
    let litmus = ["litmus", "examples/SB.litmus", "--model", "tso", "--buffer-bound", "iterate"];
    refused(&litmus, "is for raddle check");
}

#[test]
fn persistent_sets_can_be_asked_for() {
    let args =
        ["examples/dekker.rir", "--model", "tso", "--strategy", "persistent", "--keep-going"];
    let (status, object) = checked(&args);
    assert_eq!((status, &object["strategy"]), (Some(1), &json!("persistent")));
    let (_, optimal) = checked(&["examples/dekker.rir", "--model", "tso", "--keep-going"]);
    assert_eq!(object["executions"], optimal["executions"]);
}
