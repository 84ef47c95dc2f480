//! The litmus tests with reference results: every observation, every number of executions.
//!
//! Tests of other machines are also compared with the interleaving engine.

use raddle_engine::{Model, Options, Summary};
use raddle_graph::explore;
use raddle_interleave as interleave;
use raddle_ir::{CmpOp, Term, Verified};
use raddle_testing::{Corpus, Reference, note};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn load(corpus: &Corpus, test: &str) -> Verified {
    let loaded = raddle_front_litmus::load(test, &corpus.read(test));
    loaded.expect("the test is well-formed").program
}

/// The error in the answer for one test under one model, if there is one.
fn complaint(corpus: &Corpus, expected: &Reference) -> Option<String> {
    let program = load(corpus, &expected.test);
    let model: Model = expected.model.parse().expect("a model of this engine");
    let options = Options { keep_going: true, ..Options::new(model) };
    let found = explore(&program, &options);
    let test = &expected.test;
    if found.executions != expected.executions || !found.failures.is_empty() {
        let Summary { executions, redundant, failures, .. } = &found;
        return Some(format!(
            "{test} under {model}: {executions} executions ({redundant} given up), expected {}; {failures:?}",
            expected.executions
        ));
    }
    let observation = observation(&program, &found);
    (observation != expected.observation)
        .then(|| format!("{test} under {model}: {observation}, expected {}", expected.observation))
}

/// Whether the condition's proposition holds in no, some or all executions.
fn observation(program: &Verified, found: &Summary) -> &'static str {
    let condition = program.condition.as_ref().expect("the test has a condition");
    let (mut met, mut all) = (0, 0);
    for (values, count) in &found.states {
        let value = |term: Term| match term {
            Term::Observable(id) => {
                let unused = 64 - program.observable_type(id).bits();
                i128::from(((values[id.as_u32() as usize] << unused) as i64) >> unused)
            }
            Term::Int(value) => value,
            Term::Global(global, by) => {
                i128::from(raddle_machine::layout::global_address(global)) + i128::from(by)
            }
        };
        let holds =
            condition.prop.holds(&mut |op, a, b| (value(a) == value(b)) == (op == CmpOp::Eq));
        met += if holds { *count } else { 0 };
        all += count;
    }
    match (met, all - met) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    }
}

fn corpus(arch: &str) {
    for corpus in Corpus::all(arch) {
        let references = corpus.references();
        let wrong: Vec<String> =
            references.par_iter().filter_map(|expected| complaint(&corpus, expected)).collect();
        let shown = wrong[..wrong.len().min(40)].join("\n");
        assert!(wrong.is_empty(), "{} of {} tests:\n{shown}", wrong.len(), references.len());
        assert!(!references.is_empty(), "no results for {arch}");
        note(&format!("{} compared in {}", references.len(), corpus.name()));
    }
}

#[test]
fn power() {
    corpus("ppc");
}

#[test]
fn arm() {
    corpus("arm");
}

#[test]
fn x86() {
    corpus("x86");
}

/// The difference between the engines on a test that was written for other machines, if there is one.
fn disagreement(path: &Path, model: Model) -> Option<String> {
    let bytes = std::fs::read(path).expect("the test is there");
    let program = raddle_front_litmus::load("test", &bytes).expect("well-formed").program;
    let other: raddle_engine::Model = model.name().parse().expect("a model of both engines");
    let options = raddle_engine::Options { keep_going: true, ..raddle_engine::Options::new(other) };
    let expected = interleave::explore(&program, &options);
    let found = explore(&program, &Options { keep_going: true, ..Options::new(model) });
    let told = |s: &Summary| (s.executions, s.blocked, s.states.clone(), s.failures.len());
    let (found, expected) = (told(&found), told(&expected));
    let name = path.display();
    (found != expected).then(|| format!("{name} under {model}: {found:?}, expected {expected:?}"))
}

#[test]
fn hardware_tests_under_sc_tso_and_pso() {
    let mut paths = Vec::new();
    for name in ["ppc", "arm"] {
        paths.extend(Corpus::all(name).iter().flat_map(Corpus::files));
    }
    paths.sort();
    let models = [Model::Sc, Model::Tso, Model::Pso];
    let of = |path: &PathBuf| models.map(|model| disagreement(path, model));
    let wrong: Vec<String> = paths.par_iter().flat_map(of).flatten().collect();
    note(&format!("{} compared under each of {} models", paths.len(), models.len()));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The final states of a test under a model, by the axioms.
fn states(program: &Verified, model: Model) -> BTreeSet<Vec<u64>> {
    let options = Options { keep_going: true, ..Options::new(model) };
    explore(program, &options).states.into_iter().map(|(values, _)| values).collect()
}

/// A model has every outcome of the models that it extends by the table of models.
#[test]
fn models_extend_each_other_as_their_table_says() {
    let mut paths = Vec::new();
    for name in ["x86", "ppc", "arm"] {
        paths.extend(Corpus::all(name).iter().flat_map(Corpus::files));
    }
    paths.sort();
    let step = if raddle_testing::is_long() { 1 } else { 40 };
    let paths: Vec<PathBuf> = paths.into_iter().step_by(step).collect();
    let wrong = |path: &PathBuf| -> Vec<String> {
        let bytes = std::fs::read(path).expect("the test is there");
        let program = raddle_front_litmus::load("test", &bytes).expect("well-formed").program;
        let found = Model::ALL.map(|model| (model, states(&program, model)));
        let pairs = found.iter().flat_map(|weak| found.iter().map(move |strong| (weak, strong)));
        let extended = pairs.filter(|(weak, strong)| weak.0.extends(strong.0));
        let lacking = extended.filter(|(weak, strong)| !strong.1.is_subset(&weak.1));
        lacking
            .map(|(weak, strong)| format!("{}: {} not in {}", path.display(), strong.0, weak.0))
            .collect()
    };
    let wrong: Vec<String> = paths.par_iter().flat_map(wrong).collect();
    note(&format!("{} compared under {} models", paths.len(), Model::ALL.len()));
    assert!(!paths.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}
