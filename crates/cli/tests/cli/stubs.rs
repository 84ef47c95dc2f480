//! Functions that nobody defines, and stand-ins for them. Without clang, the tests print a note and pass.
//!
//! Most read LLVM IR, which needs no compiler.

use crate::common::{file, raddle, scratch, with_clang};
use serde_json::{Value, json};

/// Two functions are missing: one returns a number, one returns nothing.
const CALLER: &str = "declare i32 @read_sensor()
declare void @log_line(ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)
@text = private constant [6 x i8] c\"r < 3\\00\"
define void @poll() {
  call void @log_line(ptr null)
  ret void
}
define i32 @main() {
  call void @poll()
  %r = call i32 @read_sensor()
  %small = icmp slt i32 %r, 3
  br i1 %small, label %fine, label %wrong
wrong:
  call void @__assert_fail(ptr @text, ptr null, i32 0, ptr null)
  unreachable
fine:
  ret i32 0
}
";

fn caller(test: &str) -> String {
    file(test, "caller.ll", CALLER.as_bytes())
}

fn checked(path: &str, stubs: &[&str]) -> (Option<i32>, Value, String) {
    let mut args = vec!["check", path, "--model", "sc", "--json"];
    args.extend(stubs.iter().flat_map(|stub| ["--stub", stub]));
    let ran = raddle(&args);
    let object = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
    (ran.status, object, ran.err)
}

#[test]
fn all_undefined_functions_are_listed_at_once() {
    let path = caller("stubs-listed");
    let (status, object, err) = checked(&path, &[]);
    assert_eq!((status, &object["verdict"]), (Some(3), &json!("unknown")), "{object}");
    for line in [
        "2 functions are used but not defined; a run that calls one ends there as unsupported",
        "  log_line: called by poll",
        "    add the file that defines it, or --stub log_line=nothing",
        "  read_sensor: called by main",
        "    add the file that defines it, or --stub read_sensor=any",
    ] {
        assert!(err.contains(line), "{line} in {err}");
    }
    assert_eq!(err.matches("warning:").count(), 1, "{err}");
}

#[test]
fn stubs_stand_in_and_the_verdict_says_so() {
    let path = caller("stubs-used");
    for (sensor, verdict, status) in [
        ("2", "safe", 0),
        ("3", "violation", 1),
        ("any", "violation", 1),
        ("abort", "violation", 1),
    ] {
        let sensor = format!("read_sensor={sensor}");
        let (ended, object, err) = checked(&path, &[&sensor, "log_line=nothing"]);
        assert_eq!(
            (&object["verdict"], ended),
            (&json!(verdict), Some(status)),
            "{sensor}: {object}"
        );
        assert_eq!(object["stubs"][1], "log_line does nothing");
        assert!(
            err.contains("as the user says (--stub): ") && !err.contains("not defined"),
            "{err}"
        );
    }
    let args =
        ["check", &path, "--model", "sc", "--stub", "read_sensor=2", "--stub", "log_line=nothing"];
    let ran = raddle(&args);
    let line = "  with stubs (--stub): read_sensor returns 2; log_line does nothing\n";
    assert!(ran.out.ends_with(line), "{}", ran.out);
    // Values of a range that is a part of the possible ones are a bound.
    let (_, object, _) = checked(&path, &["read_sensor=any", "log_line=nothing"]);
    assert_eq!(object["errors"][0]["kind"], "assertion", "{object}");
    let narrow =
        ["--nondet-range", "0..2", "--stub", "read_sensor=any", "--stub", "log_line=nothing"];
    let ran = raddle(&[&["check", &path, "--model", "sc", "--json"], &narrow[..]].concat());
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&object["verdict"], &object["executions"]), (&json!("safe-bounded"), &json!(3)));
    assert_eq!(object["bounds"][0]["kind"], "inputs");
}

#[test]
fn stubs_that_make_no_sense_are_refused() {
    let path = caller("stubs-refused");
    for (stub, reason) in [
        ("read_sensr=1", "did you mean 'read_sensor'?"),
        ("poll=nothing", "poll is defined in "),
        ("log_line=1", "log_line returns nothing"),
        ("read_sensor=nothing", "read_sensor returns an integer of 32 bits"),
        ("read_sensor", "expected NAME=WHAT"),
        ("read_sensor=abrt", "did you mean 'abort'?"),
    ] {
        let ran = raddle(&["check", &path, "--model", "sc", "--stub", stub]);
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{stub}: {ran:?}");
        assert!(ran.err.contains(reason), "{stub}: {}", ran.err);
    }
    for option in ["--stub=f=1", "--nondet-range=0..1", "--spurious-wakeups"] {
        let ran = raddle(&["check", "examples/dekker.rir", "--model", "sc", option]);
        let name = option.split('=').next().expect("a name");
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(
            ran.err.contains(&format!("{name}: for programs that are compiled")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn witness_files_record_stubs() {
    let path = caller("stubs-witness");
    let witness = scratch("stubs-witness-out").join("w.json");
    let witness = witness.to_str().expect("UTF-8");
    let stubs = ["--stub", "read_sensor=choose", "--stub=log_line=void"];
    let check = ["check", &path, "--model", "sc", "--witness", witness];
    assert_eq!(raddle(&[&check[..], &stubs].concat()).status, Some(1));
    let text = std::fs::read_to_string(witness).expect("the witness");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let wanted = json!(["--stub=read_sensor=any", "--stub=log_line=nothing"]);
    assert_eq!(document["arguments"], wanted);
    let ran = raddle(&["replay", witness]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.ends_with("  replayed: same error\n"), "{}", ran.out);
    // With another stub it is another program.
    std::fs::write(witness, text.replace("read_sensor=any", "read_sensor=3")).expect("a file");
    let ran = raddle(&["replay", witness]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("is not the program that the witness is from"), "{}", ran.err);
}

#[test]
fn callers_have_positions_and_names_are_compared() {
    let text = "#include <pthread.h>\n#include <stdio.h>\nint phtread_self(void);\nint main(void) {\n  \
                return phtread_self() + (fopen(\"x\", \"r\") == 0);\n}\n";
    let path = file("stubs-c", "caller.c", text.as_bytes());
    let Some(ran) = with_clang(&["check", &path, "--model", "sc"]) else { return };
    assert_eq!(ran.status, Some(3), "{ran:?}");
    for part in [
        "  phtread_self: called by main at ",
        "caller.c:5",
        "did you mean pthread_self?",
        "files and input: not modelled (docs/c-support.md)",
    ] {
        assert!(ran.err.contains(part), "{part} in {}", ran.err);
    }
}
