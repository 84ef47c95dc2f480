//! `raddle litmus` on the command line.

use crate::common::{command, raddle, root, scratch};
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;

fn objects(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

#[test]
fn store_buffering_is_seen_under_tso_only() {
    let ran = raddle(&["litmus", "examples/SB.litmus", "--model", "sc,tso"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let expected = r"Test SB Allowed
States 3
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (0:EAX=0 /\ 1:EAX=0)
Observation SB Never 0 3
Executions 3 (sc, optimal)

Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\ 1:EAX=0)
Observation SB Sometimes 1 3
Executions 4 (tso, optimal)

";
    assert_eq!(ran.out, expected);
    assert_eq!(ran.err, "");
}

#[test]
fn json_has_the_promised_fields() {
    let ran = raddle(&["litmus", "examples/SB.litmus", "--model", "tso", "--json"]);
    let [object] = &objects(&ran.out)[..] else { panic!("one object: {ran:?}") };
    for field in [
        "test",
        "file",
        "model",
        "strategy",
        "observation",
        "executions",
        "blocked",
        "redundant",
        "states",
        "positive",
        "negative",
        "condition_holds",
        "seconds",
    ] {
        assert!(!object[field].is_null(), "{field} is missing in {object}");
    }
    assert_eq!(object["test"], "SB");
    assert_eq!(object["observation"], "Sometimes");
    assert_eq!(object["executions"], 4);
    assert_eq!(object["redundant"], 0);
}

#[test]
fn every_strategy_observes_the_same() {
    for strategy in ["optimal", "source", "exhaustive", "random"] {
        let args = ["litmus", "examples/SB.litmus", "-m", "tso", "--json", "--strategy", strategy];
        let ran = raddle(&args);
        // A sample may miss what others show, so its verdict is unknown, in JSON and by its status.
        let status = if strategy == "random" { 3 } else { 0 };
        assert_eq!(ran.status, Some(status), "{strategy}: {ran:?}");
        assert_eq!(objects(&ran.out)[0]["observation"], "Sometimes", "{strategy}");
    }
}

#[test]
fn conditions_that_forbid_are_checked() {
    let allowed = raddle(&["litmus", "examples/MP.litmus", "-m", "sc,tso"]);
    assert_eq!(allowed.status, Some(0), "{allowed:?}");
    let violated = raddle(&["litmus", "examples/MP.litmus", "-m", "pso"]);
    assert_eq!(violated.status, Some(1), "{violated:?}");
    assert!(violated.out.contains("\nNo\n"));
}

#[test]
fn a_test_without_a_condition_is_always_true() {
    let ran = raddle(&["litmus", "examples/dekker-fenced.rir", "-m", "sc"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("\nObservation dekker-fenced Always 3 0\n"), "{}", ran.out);
}

#[test]
fn an_observation_that_is_not_final_is_unknown() {
    let args = ["litmus", "examples/SB.litmus", "-m", "sc", "--max-executions", "1"];
    let ran = raddle(&args);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.out.contains("Stopped: "), "{}", ran.out);
}

#[test]
fn folders_are_searched_in_order_and_bad_files_do_not_stop_the_others() {
    let folder = scratch("litmus_folder");
    let source = std::fs::read_to_string(root().join("examples/SB.litmus")).expect("the example");
    std::fs::create_dir_all(folder.join("b/deep")).expect("folders");
    for name in ["c", "a", "b/deep/x"] {
        let named = source.replacen("X86 SB", &format!("X86 {}", name.replace('/', "-")), 1);
        std::fs::write(folder.join(format!("{name}.litmus")), named).expect("a file");
    }
    std::fs::write(folder.join("b/bad.litmus"), "X86").expect("a file");
    std::fs::write(folder.join("notes.txt"), "not a test").expect("a file");
    let path = folder.to_str().expect("UTF-8");
    let mut outputs = Vec::new();
    for jobs in ["1", "4"] {
        let ran = raddle(&["litmus", path, "-m", "sc", "--json", "-j", jobs]);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert_eq!(ran.err.matches("error:").count(), 1, "{}", ran.err);
        let tests: Vec<Value> = objects(&ran.out).iter().map(|o| o["test"].clone()).collect();
        assert_eq!(tests, ["a", "b-deep-x", "c"]);
        outputs.push(tests);
    }
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let folder = scratch("litmus_pipe");
    for i in 0..300 {
        let copy = folder.join(format!("{i}.litmus"));
        std::fs::copy(root().join("examples/SB.litmus"), copy).expect("a copy");
    }
    let path = folder.to_str().expect("UTF-8");
    let mut child = command(&["litmus", path, "-m", "tso"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut err = String::new();
    let stderr = child.stderr.as_mut().expect("a pipe");
    stderr.read_to_string(&mut err).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert_eq!(err, "");
}
