//! `raddle check --witness` and `raddle replay` on the command line.

use crate::common::{Ran, file, raddle, root, scratch};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Checks a program and writes its witnesses; returns the file and its contents.
fn witness(test: &str, args: &[&str]) -> (PathBuf, Value) {
    let path = scratch(test).join("w.json");
    let ran = raddle(&[&["check", "--witness", path.to_str().expect("UTF-8")], args].concat());
    assert!(ran.err.is_empty(), "{ran:?}");
    let text = std::fs::read_to_string(&path).expect("the witness");
    (path, serde_json::from_str(&text).expect("JSON"))
}

fn replay(path: &std::path::Path) -> Ran {
    raddle(&["replay", path.to_str().expect("UTF-8")])
}

/// Writes a changed witness; `raddle replay` must refuse it.
fn refused(path: &std::path::Path, document: &Value, reason: &str) {
    std::fs::write(path, document.to_string()).expect("a scratch file");
    let ran = replay(path);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains(reason), "{reason} is not in {ran:?}");
    assert!(ran.out.is_empty(), "{ran:?}");
}

#[test]
fn every_example_replays_to_the_same_error() {
    for (name, model, reason) in [
        ("dekker.rir", "tso", "why: P1 read flag0 = 0"),
        ("deadlock.rir", "sc", "why: P0 waits"),
        ("counter.rir", "pso", "why: main.2:worker's write"),
        ("MP.litmus", "pso", "although its later store flag = 1"),
    ] {
        let example = format!("examples/{name}");
        let (path, document) = witness(&format!("replay_{name}"), &[&example, "--model", model]);
        assert_eq!(document["inputs"], json!([example]));
        assert_eq!(document["witnesses"][0]["model"], model);
        assert!(document["witnesses"][0]["why"].is_string());
        let ran = replay(&path);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.out.contains(reason), "{}", ran.out);
        assert!(ran.out.ends_with("  replayed: same error\n"), "{}", ran.out);
        let again = raddle(&["replay", "--json", path.to_str().expect("UTF-8")]);
        let object: Value = serde_json::from_str(again.out.trim_end()).expect("JSON");
        assert_eq!(object["replayed"], true);
        assert_eq!(object["error"]["why"], document["witnesses"][0]["why"]);
    }
}

const TWO: &str = r#"
program "two"
global @x: i32
thread P0 = @f()
thread P1 = @f()
func @f() {
  reg %r: i32, %ok: i1
entry:
  %r = rmw add i32 asm @x, 1
  %ok = cmp eq i32 %r, 0
  assert %ok, "first"
  br %ok, entry2, entry2
entry2:
  %r = load i32 asm @x
  %ok = cmp eq i32 %r, 1
  assert %ok, "alone"
  ret
}
"#;

#[test]
fn several_errors_are_a_list_and_each_counts_its_executions() {
    let program = file("replay_two_program", "two.rir", TWO.as_bytes());
    let (path, document) = witness("replay_two", &[&program, "--model", "sc,tso", "--keep-going"]);
    let found = document["witnesses"].as_array().expect("a list");
    let errors: Vec<(&str, &str)> = found
        .iter()
        .map(|w| (w["model"].as_str().unwrap_or(""), w["message"].as_str().unwrap_or("")))
        .collect();
    for model in ["sc", "tso"] {
        for message in ["first", "alone"] {
            let same = errors.iter().filter(|e| **e == (model, message)).count();
            assert_eq!(same, 1, "{errors:?}");
        }
    }
    assert!(found.iter().all(|w| w["count"].as_u64() >= Some(1)));
    let ran = replay(&path);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.out.matches("replayed: same error").count(), 4);
}

#[test]
fn a_changed_program_is_noticed() {
    let source = std::fs::read_to_string(root().join("examples/dekker.rir")).expect("an example");
    let program = file("replay_changed", "dekker.rir", source.as_bytes());
    let (path, _) = witness("replay_changed_w", &[&program, "--model", "tso"]);
    assert_eq!(replay(&path).status, Some(1));
    std::fs::write(&program, source.replace("@flag0, @flag1", "@flag0, @flag0")).expect("a file");
    let ran = replay(&path);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("it has changed"), "{ran:?}");
    std::fs::remove_file(&program).expect("the file was there");
    let ran = replay(&path);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("no such file"), "{ran:?}");
    assert!(ran.err.contains("in the folder where the check was run"), "{ran:?}");
}

#[test]
fn schedules_that_lead_elsewhere_are_refused() {
    let (path, document) = witness("replay_elsewhere", &["examples/dekker.rir", "--model", "tso"]);
    let changed = |pointer: &str, value: Value| {
        let mut document = document.clone();
        *document.pointer_mut(pointer).expect("it is there") = value;
        document
    };
    let entry = |field: &str| format!("/witnesses/0/{field}");
    refused(&path, &changed(&entry("schedule"), json!([])), "the schedule ends before");
    let nobody = json!([{ "run": 99 }]);
    refused(&path, &changed(&entry("schedule"), nobody), "step 1 of the schedule cannot happen");
    let odd = json!([{ "update": { "thread": 0, "store": u32::MAX } }]);
    refused(&path, &changed(&entry("schedule"), odd), "cannot happen");
    refused(&path, &changed(&entry("line"), json!(3)), "ends in another error: assertion");
    refused(&path, &changed(&entry("kind"), json!("deadlock")), "another error");
    refused(&path, &changed(&entry("model"), json!("sc")), "does not replay");
    refused(
        &path,
        &changed(&entry("model"), json!("power")),
        "the model 'power' is not supported by the engine 'interleave'",
    );
    refused(&path, &changed(&entry("schedule"), json!([{ "run": -1 }])), "not a witness");
    refused(&path, &changed("/witnesses", json!([])), "holds no witness");
    refused(&path, &changed("/inputs", json!([])), "no files");
    refused(&path, &changed("/inputs", json!(["nowhere.rir"])), "nowhere.rir");
    refused(&path, &changed("/arguments", json!(["--frobnicate"])), "--frobnicate");
    refused(&path, &changed("/program", json!("fnv1a128:0")), "it has changed");
    refused(&path, &changed("/version", json!(1)), "version 1");
    refused(&path, &changed("/format", json!("else")), "'else'");
}

#[test]
fn damaged_files_are_refused_wherever_they_end() {
    let (path, _) = witness("replay_damaged", &["examples/deadlock.rir", "--model", "sc"]);
    let whole = std::fs::read(&path).expect("the witness");
    for end in (0..whole.len() - 2).step_by(whole.len() / 40 + 1) {
        std::fs::write(&path, &whole[..end]).expect("a scratch file");
        let ran = replay(&path);
        assert_eq!(ran.status, Some(2), "{end}: {ran:?}");
        assert!(ran.err.contains("error: not a witness"), "{ran:?}");
    }
    for bytes in [&b"\xff\xfe\x00"[..], b"null", b"{}", b"[[[[[[[["] {
        std::fs::write(&path, bytes).expect("a scratch file");
        assert_eq!(replay(&path).status, Some(2));
    }
}

#[test]
fn a_safe_program_has_no_witness() {
    let (path, document) = witness("replay_safe", &["examples/dekker.rir", "--model", "sc"]);
    assert_eq!(document["witnesses"], json!([]));
    assert_eq!(replay(&path).status, Some(2));
}

#[test]
fn a_witness_that_cannot_be_written_is_said() {
    let nowhere = scratch("replay_nowhere").join("no/such/folder/w.json");
    let path = nowhere.to_str().expect("UTF-8");
    let ran = raddle(&["check", "examples/dekker.rir", "-m", "tso", "--witness", path]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("there is no folder"), "{ran:?}");
}

const RACE: &str = r#"
program "race"
global @x: i32
thread P0 = @write()
thread P1 = @read()
func @write() {
entry:
  store i32 @x, 1
  ret
}
func @read() {
  reg %r: i32
entry:
  %r = load i32 @x
  ret
}
"#;

#[test]
fn a_race_replays_with_the_check_that_found_it() {
    let program = file("replay_race", "race.rir", RACE.as_bytes());
    assert_eq!(raddle(&["check", &program, "--model", "tso"]).status, Some(0));
    let args = [program.as_str(), "--model", "tso", "--check", "races"];
    let (path, mut document) = witness("replay_race_witness", &args);
    assert_eq!(document["checks"], json!(["races"]));
    let found = &document["witnesses"][0];
    assert_eq!((&found["kind"], &found["line"]), (&json!("race"), &json!(14)));
    assert_eq!(found["against"]["line"], 8);
    let ran = replay(&path);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("P0 writes x at"), "{}", ran.out);
    assert!(ran.out.ends_with("  replayed: same error\n"), "{}", ran.out);

    document["witnesses"][0]["against"]["line"] = json!(9);
    refused(&path, &document, "it ends in another error");
    document["checks"] = json!([]);
    refused(&path, &document, "does not replay");
    document["checks"] = json!(["leaks"]);
    refused(&path, &document, "'leaks' is not known");
}
