//! Outputs as JSON are what the schemas in docs/schema describe. Every line that a test gets with `--json` is
//! validated (`common::raddle`), and so is every result of a C program (`c_programs`).

use crate::common::{raddle, root, scratch};
use raddle_testing::schema::validate;
use serde_json::Value;
use std::fs;

/// Every command on inputs of tests/ that need no compiler.
#[test]
fn outputs_on_the_tests_are_as_described() {
    let long = raddle_testing::is_long();
    let mut runs = 0;
    let mut run = |args: &[&str]| {
        let ran = raddle(args);
        assert!(!ran.out.is_empty(), "{args:?}: {}", ran.err);
        runs += 1;
    };
    let limit = ["--json", "--timeout", "2"];
    let all = ["tests/litmus", "examples"];
    let folders: &[&str] = if long { &all } else { &["examples"] };
    run(&[&["litmus", "-m", "sc,tso,pso,power,arm"], &limit[..], folders].concat());
    for file in inputs(long) {
        let file = file.as_str();
        run(&[&["check", file, "--model", "sc,tso", "--keep-going"], &limit[..]].concat());
        run(&[&["robust", file, "--model", "tso"], &limit[..]].concat());
        run(&[&["reach", file, "--model", "tso"], &limit[..]].concat());
        run(&[&["fence", file, "--model", "tso"], &limit[..]].concat());
        if !file.ends_with(".aut") {
            run(&[&["monitor", file, "--runs", "20"], &limit[..]].concat());
        }
    }
    assert!(runs > 20, "only {runs}");
}

fn inputs(long: bool) -> Vec<String> {
    let mut inputs: Vec<String> = ["counter", "deadlock", "dekker", "dekker-fenced"]
        .map(|name| format!("examples/{name}.rir"))
        .into();
    let folder = fs::read_dir(root().join("tests/automata")).expect("the automata");
    let mut automata: Vec<String> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "aut"))
        .filter_map(|path| Some(path.strip_prefix(root()).ok()?.to_str()?.to_owned()))
        .collect();
    automata.sort();
    automata.truncate(if long { usize::MAX } else { 2 });
    inputs.append(&mut automata);
    inputs
}

#[test]
fn witness_files_are_as_described() {
    let path = scratch("schema").join("w.json");
    let name = path.to_str().expect("UTF-8");
    raddle(&["check", "examples/dekker.rir", "-m", "tso,pso", "--keep-going", "--witness", name]);
    let text = fs::read_to_string(&path).expect("the witness");
    let witness: Value = serde_json::from_str(&text).expect("JSON");
    assert!(witness["witnesses"].as_array().is_some_and(|all| !all.is_empty()));
    validate("witness.json", &witness);
    raddle(&["replay", name, "--json"]);
}
