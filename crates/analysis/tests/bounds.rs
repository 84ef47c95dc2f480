//! Bounded store buffers: the x86 litmus tests for every bound, and raising the bound.

use raddle_analysis::{CheckResult, Search, Verdict, check, iterate};
use raddle_interleave::{BoundKind, Budget, Model, Options, Strategy};
use raddle_ir::Program;
use raddle_oracle::generate::{self, Config};
use raddle_testing::Corpus;
use std::time::Duration;

const BUFFERED: [Model; 2] = [Model::Tso, Model::Pso];
/// No test of the corpus has more stores of one thread on their way.
const ENOUGH: u32 = 4;

fn search(model: Model, buffer_bound: Option<u32>) -> Search {
    Options { buffer_bound, keep_going: true, ..Options::new(model) }.into()
}

fn met(result: &CheckResult) -> bool {
    result.summary.bounds.iter().any(|bound| bound.kind == BoundKind::Buffer)
}

/// What two searches with the same traces have in common.
fn counts(result: &CheckResult) -> (u64, u64, &[(Vec<u64>, u64)]) {
    let summary = &result.summary;
    (summary.executions, summary.blocked, &summary.states)
}

/// What is wrong with the answers on one test under one model.
fn complaint(program: &Program, model: Model) -> Option<String> {
    let unbounded = check(program, &search(model, None));
    let sc = check(program, &search(Model::Sc, None));
    let mut before = 0;
    for bound in 0..=ENOUGH {
        let found = check(program, &search(model, Some(bound)));
        let persistent = Options {
            strategy: Strategy::Persistent,
            buffer_bound: Some(bound),
            keep_going: true,
            ..Options::new(model)
        };
        let persistent = check(program, &persistent.into());
        let executions = found.summary.executions;
        let wrong = [
            ("begun and given up", found.summary.redundant > 0),
            ("fewer than with less room", executions < before),
            ("not as many by persistent sets", counts(&persistent) != counts(&found)),
            ("not sc", bound == 0 && counts(&found) != counts(&sc)),
            ("never full, yet not all", !met(&found) && counts(&found) != counts(&unbounded)),
            ("full", bound == ENOUGH && met(&found)),
        ];
        if let Some((what, _)) = wrong.into_iter().find(|(_, wrong)| *wrong) {
            return Some(format!("{} under {model}, {bound}: {what}", program.name));
        }
        before = executions;
    }
    None
}

#[test]
fn the_corpus_for_every_bound() {
    let Some(corpus) = Corpus::open("x86") else { return };
    for path in corpus.files() {
        let bytes = std::fs::read(&path).expect("the test is there");
        let test = raddle_front_litmus::load(&path.to_string_lossy(), &bytes);
        let program = test.expect("the test is well-formed").program;
        for model in BUFFERED {
            assert_eq!(complaint(&program, model), None);
        }
    }
}

/// Raising the bound ends in what the unbounded machine does, or at a violation that it has.
fn raised(program: &Program, model: Model) {
    let unbounded = check(program, &search(model, None));
    let raised = iterate(program, &search(model, None));
    let bound = raised.search.buffer_bound().expect("a bound");
    assert_eq!(raised.executions.len() as u32, bound + 1);
    assert_eq!(raised.result.verdict, unbounded.verdict);
    if unbounded.verdict == Verdict::Safe {
        assert!(raised.is_enough());
        assert_eq!(counts(&raised.result), counts(&unbounded));
        assert!(raised.executions.is_sorted(), "{:?}", raised.executions);
    }
    if bound > 0 {
        let smaller = check(program, &search(model, Some(bound - 1)));
        assert!(met(&smaller) && smaller.verdict == Verdict::SafeBounded, "{smaller:?}");
    }
}

#[test]
fn raising_the_bound_ends_at_all_there_is() {
    for config in [Config::memory(), Config::c11(), Config::synchronised()] {
        for seed in 0..60 {
            let program = generate::program(&config, seed);
            for model in BUFFERED {
                raised(&program, model);
            }
        }
    }
}

#[test]
fn a_limit_on_time_is_for_all_bounds_together() {
    let test = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                exists (0:EAX=0)\n";
    let program = raddle_front_litmus::load("SB", test.as_bytes()).expect("a test").program;
    let out_of_time = search(Model::Tso, None).within(Budget::new(Some(Duration::ZERO), None));
    let raised = iterate(&program, &out_of_time);
    assert_eq!(raised.result.verdict, Verdict::Unknown);
    assert_eq!(raised.executions.len(), 1);
    assert!(!raised.is_enough());
}
