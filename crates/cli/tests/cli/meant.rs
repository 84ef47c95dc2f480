//! "Did you mean": names of commands, options, values and files that are nearly right.

use crate::common::{raddle, scratch};
use std::fs;

#[track_caller]
fn proposes(args: &[&str], meant: &str) {
    let ran = raddle(args);
    assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{args:?}: {ran:?}");
    assert!(ran.err.contains(meant), "{args:?}: {}", ran.err);
}

#[test]
fn commands_options_and_values() {
    proposes(&["chek", "a.c"], "a similar subcommand exists: 'check'");
    proposes(&["check", "a.c", "--modle", "sc"], "a similar argument exists: '--model'");
    proposes(&["check", "a.c", "--model", "TSO"], "did you mean 'tso'?");
    proposes(&["robust", "a.c", "--model", "psoo"], "did you mean 'pso'?");
    proposes(&["matrix", "a.c", "--model", "sc,pwoer"], "did you mean 'power'?");
    let strategy = ["check", "a.c", "--model", "sc", "--strategy", "optmal"];
    proposes(&strategy, "a similar value exists: 'optimal'");
    proposes(
        &["check", "a.c", "--model", "sc", "--check", "deadlok"],
        "a similar value exists: 'deadlock'",
    );
    let ran = raddle(&["check", "a.c", "--model", "c11"]);
    assert!(!ran.err.contains("did you mean"), "{}", ran.err);
}

#[test]
fn files_of_the_same_folder() {
    let folder = scratch("meant");
    fs::write(folder.join("queue.litmus"), "").expect("a file");
    let named = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let meant = format!("did you mean '{}'?", named("queue.litmus"));
    for wrong in ["quue.litmus", "queue.litmsu", "Queue.litmus"] {
        proposes(&["litmus", &named(wrong), "--model", "sc"], &meant);
        proposes(&["check", &named(wrong), "--model", "sc"], &meant);
    }
    let ran = raddle(&["check", &named("other.litmus"), "--model", "sc"]);
    assert!(ran.err.contains("no such file") && !ran.err.contains("did you mean"), "{}", ran.err);
    proposes(
        &["check", "examples/dekkr.rir", "--model", "sc"],
        "did you mean 'examples/dekker.rir'?",
    );
}

#[test]
fn endings() {
    let folder = scratch("endings");
    let named = |name: &str| {
        let path = folder.join(name);
        fs::write(&path, "").expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    proposes(&["check", &named("a.litmsu"), "--model", "sc"], "did you mean '.litmus'?");
    proposes(&["check", &named("a.RIR"), "--model", "sc"], "did you mean '.rir'?");
    proposes(&["check", &named("a.h"), "--model", "sc"], "name the file that includes this header");
}

#[test]
fn loops_of_other_files() {
    let program = "tests/c/programs/nobody.rir";
    assert_eq!(raddle(&["check", program, "--model", "sc"]).status, Some(2));
    let bound = ["check", "examples/dekker.rir", "--model", "sc", "--unroll", "dekker.rir:3=1"];
    proposes(&bound, "no loop is there; the program has no loops");
}
