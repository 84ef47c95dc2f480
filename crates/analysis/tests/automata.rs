//! The automata of `tests/automata`, against the answers in `expected.tsv`: robust under TSO or not,
//! the number of fences that it takes, whether a goal is reachable under SC and under TSO.

use raddle_analysis::fence::{Outcome, Question, Target, WeakModel, fences};
use raddle_engine::Limits;
use raddle_ir::Program;
use raddle_ir::verify::verify;
use raddle_reach::{Answer, Options, ReachModel, Robust, reach, robust};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/automata")
}

fn load(name: &str) -> Program {
    let path = folder().join(format!("{name}.aut"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let program = raddle_front_automata::load(name, &bytes).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
    program
}

/// The rows: name, robust, fences, goal under SC, goal under TSO.
fn expected() -> Vec<[String; 5]> {
    let text = std::fs::read_to_string(folder().join("expected.tsv")).expect("expected.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    rows.map(|line| cells(line).try_into().unwrap_or_else(|_| panic!("{line}"))).collect()
}

fn is_robust(program: &Program) -> String {
    match robust(program, &Options::default()).verdict {
        Robust::Robust => "yes".to_owned(),
        Robust::Attacked(_) => "no".to_owned(),
        Robust::Unknown(why) => why.to_string(),
    }
}

fn number_of_fences(program: &Program) -> String {
    let (model, target) = (WeakModel::Tso, Target::Robust);
    let question = Question { model, target, limits: Limits::default(), workers: 1 };
    match fences(program, &question).outcome {
        Outcome::Fences(fences) => fences.len().to_string(),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => why,
    }
}

fn is_reachable(program: &Program, model: ReachModel) -> String {
    if program.goals.is_empty() {
        return "-".to_owned();
    }
    match reach(program, model, &Options::default()).answer {
        Answer::Reachable(_) => "yes".to_owned(),
        Answer::Unreachable => "no".to_owned(),
        Answer::Unknown(why) => why.to_string(),
    }
}

#[test]
fn automata_are_as_expected() {
    let rows = expected();
    let mut wrong = Vec::new();
    for row in &rows {
        let program = load(&row[0]);
        let found = [
            row[0].clone(),
            is_robust(&program),
            number_of_fences(&program),
            is_reachable(&program, ReachModel::Sc),
            is_reachable(&program, ReachModel::Tso),
        ];
        if found != *row {
            wrong.push(format!("{} instead of {}", found.join("\t"), row.join("\t")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut listed: Vec<String> = rows.into_iter().map(|row| format!("{}.aut", row[0])).collect();
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut there: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    there.retain(|name| name.ends_with(".aut"));
    listed.sort();
    there.sort();
    assert_eq!(listed, there, "expected.tsv lists every file");
}
