//! `raddle reach` on the command line: answers, exit statuses, and witness files that replay.

use crate::common::{file, raddle, scratch};
use raddle_engine::{Engine, Model};
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
        // Without its last step, the schedule does not end at the goal.
        let text = std::fs::read_to_string(path).expect("the witness");
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        document["witnesses"][0]["schedule"].as_array_mut().expect("a schedule").pop();
        std::fs::write(path, document.to_string()).expect("a scratch file");
        let refused = raddle(&["replay", path]);
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(refused.err.contains("does not end at a goal"), "{}", refused.err);
    }
}

/// A thread that ends while it holds the memory lock, and another that stores and then runs `after`.
fn shut_out(after: &str) -> String {
    format!(
        "thread a\ninitial s\ntransition s t lock\ntransition t u write 1 5\nend\n\
         thread b\ninitial s\ntransition s t read r 5\ntransition t u check == r 1\n\
         transition u v write 1 6\n{after}end\n"
    )
}

#[test]
fn a_thread_that_may_not_write_goes_on_under_tso() {
    // Under SC the thread waits at its store; under TSO the store waits in the buffer.
    let goal = file("shut_out", "goal.aut", (shut_out("") + "goal b v\n").as_bytes());
    for (model, status) in [("sc", 0), ("tso", 1)] {
        let ran = raddle(&["reach", &goal, "--model", model]);
        assert_eq!(ran.status, Some(status), "{ran:?}");
    }
    for (name, after, under_tso) in [
        ("nothing", "", 0),
        ("fence", "transition v w mfence\n", 1),
        ("lock", "transition v w lock\n", 1),
        ("load", "transition v w read r 6\n", 0),
    ] {
        let automata = file("shut_out", &format!("{name}.aut"), shut_out(after).as_bytes());
        for (model, status) in [("sc", 1), ("tso", under_tso)] {
            let ran = raddle(&["reach", &automata, "--model", model]);
            assert_eq!(ran.status, Some(status), "{name}: {ran:?}");
            assert!(status == 0 || ran.out.contains("deadlock: b waits for "), "{}", ran.out);
            assert!(!ran.out.contains('{'), "{}", ran.out);
        }
        let lazy = raddle(&["check", &automata, "--model", "tso", "--strategy", "lazy"]);
        assert_eq!(lazy.status, Some(under_tso), "{name}: {lazy:?}");
    }
}

/// Two threads that never stop; the assertion fails only if stores are delayed.
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

/// Executions of automata never end. The output says which other search can decide them, or that none can.
#[test]
fn endless_loops_are_sent_to_the_search_of_states() {
    let peterson = "tests/automata/peterson.aut";
    let checked = |model| raddle(&["check", peterson, "--model", model, "--timeout", "0.2"]).out;
    assert!(checked("tso").contains(
        "--unroll N bounds loops that do not end; --strategy lazy, and raddle reach for goals"
    ));
    let models = Model::names(Engine::Reach.models()).replace(" or ", " and ");
    assert!(checked("pso").contains(&format!("need no bound, and have {models} but not pso")));
    // A deadlock is not reachable under sc. Under tso the buffers may grow without end, so there is no answer.
    let lazily = raddle(&["check", peterson, "--model", "sc", "--strategy", "lazy"]);
    assert_eq!(lazily.status, Some(0), "nothing in it can fail: {lazily:?}");
    let args = ["check", peterson, "--model", "tso", "--strategy", "lazy", "--timeout", "0.5"];
    let lazily = raddle(&args);
    assert_eq!(lazily.status, Some(3), "{lazily:?}");
    let fenced = raddle(&["fence", peterson, "--model", "pso", "--timeout", "0.2"]);
    assert!(fenced.out.contains("judged under tso only; under pso they must end"), "{fenced:?}");
}
