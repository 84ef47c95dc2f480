//! `raddle robust`: answers, witnesses, statuses.

use crate::common::{file, raddle};
use raddle_engine::Model;
use serde_json::Value;

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

#[test]
fn the_text_names_store_access_cycle_and_fence() {
    let shown = raddle(&["robust", "examples/MP.litmus", "--model", "pso"]).out;
    for part in [
        "delayed: P0 writes data = 1 (buffered) at ",
        "overtaken by: P0 writes flag = 1 (buffered) at ",
        ", read (rf) by\n",
        ", too early to see (fr)\n",
        "a fence cuts it: in P0 between MP.litmus:",
        ", one that orders stores is enough\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = raddle(&["robust", "examples/SB.litmus", "--model", "tso"]).out;
    assert!(shown.contains(", one that drains the buffer\n"), "{shown}");
}

/// A store and the load that overtakes it are on one line.
#[test]
fn two_accesses_of_one_line_are_told_as_such() {
    let text = "global @x: i32\nglobal @y: i32\nthread a = @f(@x, @y)\nthread b = @f(@y, @x)\n\
                func @f(%mine: ptr, %other: ptr) {\n  reg %r: i32\nentry:\n\
                store i32 asm %mine, 1 !0\n%r = load i32 asm %other !0\nret\n}\n\
                file 0 = \"one.c\"\nloc 0 = 0:3:1\n";
    let path = file("robust-one-line", "one.rir", text.as_bytes());
    let ran = raddle(&["robust", &path, "--model", "tso"]);
    let wanted = "a fence cuts it: in a between the two accesses at one.c:3, one that drains";
    assert!(ran.out.contains(wanted), "{}{}", ran.out, ran.err);
}

#[test]
fn attacks_are_refused_where_they_decide_nothing() {
    for models in ["pso", "tso,pso"] {
        let ran = raddle(&["robust", "examples/SB.litmus", "--model", models, "--by", "attacks"]);
        assert_eq!(ran.status, Some(2), "{models}: {}", ran.out);
        assert!(ran.err.contains("under pso take monitor, cycles or count"), "{}", ran.err);
    }
}

#[test]
fn sc_is_refused() {
    let ran = raddle(&["robust", "examples/SB.litmus", "--model", "sc"]);
    assert_eq!(ran.status, Some(2));
    let buffered = Model::names(Model::ALL.into_iter().filter(|model| model.is_buffered()));
    assert!(ran.err.contains(&format!("expected {buffered}")), "{}", ran.err);
}

/// Automata never end. Without `--by` they are decided by attacks, even if they lock memory.
#[test]
fn automata_are_decided_by_attacks() {
    for (name, robust) in [("parker", false), ("the", false), ("stack", true), ("clh", true)] {
        let (status, found) = answers(&[&format!("tests/automata/{name}.aut"), "--model", "tso"]);
        assert_eq!(status, Some(i32::from(!robust)), "{name}: {found:?}");
        assert_eq!(found[0]["by"], "attacks");
        assert_eq!(found[0]["witness"].is_null(), robust);
    }
}
