//! `raddle reach` from outside: answers, exit statuses, and witness files that replay.

use crate::common::{file, raddle, scratch};
use serde_json::Value;

fn object(text: &str) -> Value {
    serde_json::from_str(text.trim_end()).expect("one object")
}

#[test]
fn a_goal_is_reached_under_tso_only() {
    let peterson = "tests/automata/peterson.aut";
    let sc = raddle(&["reach", peterson, "--model", "sc", "--json"]);
    assert_eq!((sc.status, &object(&sc.out)["reachable"]), (Some(0), &Value::Bool(false)));
    let shown = raddle(&["reach", peterson, "--model", "tso"]);
    assert!(shown.out.contains("reads mem[1] = 0"), "{}", shown.out);
    let tso = raddle(&["reach", peterson, "--model", "tso", "--json"]);
    let answer = object(&tso.out);
    assert_eq!((tso.status, &answer["reachable"]), (Some(1), &Value::Bool(true)));
    assert_eq!(answer["witness"]["end"], "goal");
    for field in ["queries", "states", "states_per_second", "bytes_per_state"] {
        assert!(answer[field].as_f64().is_some_and(|value| value > 0.0), "{field}: {answer}");
    }
}

#[test]
fn a_goal_is_reached_again_by_a_replay() {
    for name in ["peterson", "chase-lev", "lamport-3"] {
        let path = scratch(&format!("reach_{name}")).join("w.json");
        let path = path.to_str().expect("UTF-8");
        let automata = format!("tests/automata/{name}.aut");
        let ran = raddle(&["reach", &automata, "--model", "tso", "--witness", path]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let again = raddle(&["replay", path]);
        assert_eq!(again.status, Some(1), "{again:?}");
        assert!(again.out.ends_with("  replayed: a goal is reached\n"), "{}", again.out);
        let json = object(&raddle(&["replay", path, "--json"]).out);
        assert_eq!(
            (&json["replayed"], &json["error"]["kind"]),
            (&Value::Bool(true), &"goal".into())
        );
        // Without its last step it ends elsewhere.
        let text = std::fs::read_to_string(path).expect("the witness");
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        document["witnesses"][0]["schedule"].as_array_mut().expect("a schedule").pop();
        std::fs::write(path, document.to_string()).expect("a scratch file");
        let refused = raddle(&["replay", path]);
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(refused.err.contains("does not end at a goal"), "{}", refused.err);
    }
}

/// Two threads that never stop; the assertion fails only where stores are late.
const SPINNING: &str = r#"
program "spinning"
global @x: i32
global @y: i32
global @inside: i32
thread P0 = @f(@x, @y)
thread P1 = @f(@y, @x)
func @f(%mine: ptr, %other: ptr) {
  reg %r: i32, %ok: i1
again:
  store i32 asm %mine, 1
  %r = load i32 asm %other
  %ok = cmp eq i32 %r, 0
  br %ok, critical, back
critical:
  %r = rmw add i32 asm @inside, 1
  %ok = cmp eq i32 %r, 0
  assert %ok, "alone"
  %r = rmw sub i32 asm @inside, 1
  jump back
back:
  store i32 asm %mine, 0
  jump again
}
"#;

#[test]
fn a_failure_is_shown_again_by_a_replay() {
    let program = file("reach_spinning", "spinning.rir", SPINNING.as_bytes());
    let path = scratch("reach_spinning_witness").join("w.json");
    let path = path.to_str().expect("UTF-8");
    for command in [
        ["reach", &program, "--model", "tso", "--witness", path, "--jobs", "1"],
        ["check", &program, "--model", "tso", "--witness", path, "--strategy", "lazy"],
    ] {
        let ran = raddle(&command);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let again = raddle(&["replay", path]);
        assert_eq!(again.status, Some(1), "{again:?}");
        assert!(again.out.ends_with("  replayed: same error\n"), "{}", again.out);
    }
}

#[test]
fn final_conditions_are_judged_by_states() {
    for (model, status) in [("sc", 0), ("tso", 1)] {
        let test = "\
            X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
            ~exists (0:EAX=0 /\\ 1:EAX=0)\n";
        let litmus = file(&format!("reach_condition_{model}"), "SB.litmus", test.as_bytes());
        let ran = raddle(&["check", &litmus, "--model", model, "--strategy", "lazy"]);
        assert_eq!(ran.status, Some(status), "{ran:?}");
    }
}

/// Executions of automata go on for ever; where another search helps, or none does, it is said.
#[test]
fn endless_loops_are_sent_to_the_search_of_states() {
    let peterson = "tests/automata/peterson.aut";
    let checked = |model| raddle(&["check", peterson, "--model", model, "--timeout", "0.2"]).out;
    assert!(checked("tso").contains("are for --strategy lazy; for goals, raddle reach"));
    assert!(checked("pso").contains("which have sc and tso but not pso"));
    // Both threads could wait for ever: they do not under sc; under tso buffers may grow without end.
    let lazily = raddle(&["check", peterson, "--model", "sc", "--strategy", "lazy"]);
    assert_eq!(lazily.status, Some(0), "nothing in it can fail: {lazily:?}");
    let args = ["check", peterson, "--model", "tso", "--strategy", "lazy", "--timeout", "0.5"];
    let lazily = raddle(&args);
    assert_eq!(lazily.status, Some(3), "{lazily:?}");
    let fenced = raddle(&["fence", peterson, "--model", "pso", "--timeout", "0.2"]);
    assert!(fenced.out.contains("judged under tso only; under pso they must end"), "{fenced:?}");
}
