//! The project's own litmus tests, `tests/litmus`: critical cycles of each machine, with the results that the
//! oracles compute. This test uses only the oracles; other tests compare the engines with the files.
//! `RADDLE_BLESS=1` rewrites tests and results.

use raddle_ir::Program;
use raddle_oracle::cycles::{Arch, Between, Cycle, Edge, enumerate};
use raddle_oracle::{Model, Outcome, axiomatic, interleavings, weak};
use raddle_testing::{Corpus, files, golden, is_blessing, note};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The number of states that the operational oracle may visit.
const BUDGET: u64 = 1_000_000;

/// The fences and dependencies between the events of the long cycles.
const FEW: [Between; 3] = [Between::Nothing, Between::FullFence, Between::Address];

/// The models under which the tests of a machine have results: `sc`, `tso`, `pso` and the machine's own.
fn models(arch: Arch) -> Vec<&'static str> {
    let own = match arch {
        Arch::X86 => None,
        Arch::Ppc => Some(weak::Hardware::Power.name()),
        Arch::Arm => Some(weak::Hardware::Arm.name()),
    };
    own.into_iter().chain(Model::ALL.map(Model::name)).collect()
}

/// Whether no thread and no location has more than two consecutive events in the cycle.
fn is_critical(cycle: &Cycle) -> bool {
    let edges = cycle.edges();
    let next = |n: usize| edges[(n + 1) % edges.len()];
    let steps = |n: usize| !edges[n].is_external() && !next(n).is_external();
    let moves = |n: usize| edges[n].is_external() && next(n).is_external();
    let places = edges.iter().filter(|edge| edge.changes_place()).count();
    (0..edges.len()).all(|n| !steps(n) && !moves(n)) && places * 2 == edges.len()
}

/// Tests of critical cycles of four and of six edges, and of other cycles of at most four edges, by name.
fn tests(arch: Arch) -> BTreeMap<String, String> {
    let alphabet = if arch == Arch::X86 { Edge::all() } else { Edge::weak() };
    let only = |wanted: &dyn Fn(Between, bool) -> bool| -> Vec<Edge> {
        let is_wanted = |edge: &Edge| match edge {
            Edge::Po { between, same_place, .. } => wanted(*between, *same_place),
            Edge::Rfe | Edge::Fre | Edge::Coe => true,
        };
        alphabet.iter().copied().filter(is_wanted).collect()
    };
    let short = enumerate(&only(&|between, _| arch.has(between)), 4);
    let (critical, others): (Vec<Cycle>, Vec<Cycle>) = short.into_iter().partition(is_critical);
    let few =
        |between, same_place: bool| arch.has(between) && FEW.contains(&between) && !same_place;
    let mut long = enumerate(&only(&few), 6);
    long.retain(|cycle| cycle.edges().len() == 6 && is_critical(cycle));
    let all = [(critical, 90), (others, 60), (long, 30)].into_iter().flat_map(|(cycles, count)| {
        let step = cycles.len().div_ceil(count);
        cycles.into_iter().step_by(step)
    });
    all.filter_map(|cycle| Some((cycle.name(), cycle.litmus(arch)?))).collect()
}

/// The outcome of the oracles; if two support the model, they must agree.
fn by_oracles(program: &Program, model: &str) -> Outcome {
    if let Some(model) = weak::Hardware::named(model) {
        return weak::executions(program, model).expect("small enough");
    }
    let model = Model::named(model).expect("a model of the oracles");
    let outcome = axiomatic::executions(program, model).expect("in the oracle's subset");
    let other = interleavings::executions(program, model, BUDGET).expect("small enough");
    assert_eq!(outcome, other, "the oracles disagree under {model}");
    outcome
}

fn results(arch: Arch, tests: &BTreeMap<String, String>) -> String {
    let mut text = "# test\tmodel\tobservation\texecutions\n".to_owned();
    for (name, source) in tests {
        let litmus = raddle_front_litmus::load(name, source.as_bytes());
        let program = litmus.unwrap_or_else(|error| panic!("{error}\n{source}")).program;
        for model in models(arch) {
            let outcome = by_oracles(&program, model);
            let observation = outcome.observation(&program).expect("a layout");
            let observation = observation.expect("a condition");
            text += &format!("{name}\t{model}\t{observation:?}\t{}\n", outcome.executions);
        }
    }
    text
}

fn are_as_generated(arch: Arch) {
    let folder = Corpus::own(arch.name()).folder().to_owned();
    std::fs::create_dir_all(&folder).expect("a folder");
    let tests = tests(arch);
    for (name, source) in &tests {
        golden(&folder.join(format!("{name}.litmus")), source);
    }
    let stale = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        !tests.contains_key(&name)
    };
    for path in files(&folder, "litmus").into_iter().filter(stale) {
        assert!(is_blessing(), "{} is not generated", path.display());
        std::fs::remove_file(&path).expect("a file that is not generated");
    }
    golden(&folder.join("results.tsv"), &results(arch, &tests));
    note(&format!("{} tests, {} models", tests.len(), models(arch).len()));
}

#[test]
fn x86_tests_are_as_generated() {
    are_as_generated(Arch::X86);
}

#[test]
fn ppc_tests_are_as_generated() {
    are_as_generated(Arch::Ppc);
}

#[test]
fn arm_tests_are_as_generated() {
    are_as_generated(Arch::Arm);
}
