//! Bounded store buffers: the x86 litmus tests for every bound, and raising the bound.

use crate::support::subjects;
use raddle_analysis::{CheckResult, Verdict, check, iterate};
use raddle_engine::{BoundKind, Budget, Model, Options, Strategy};
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, ensure, generated, same};
use raddle_oracle::generate::Config;
use raddle_testing::Corpus;
use std::time::Duration;

const BUFFERED: [Model; 2] = [Model::Tso, Model::Pso];
/// In no test of the corpus does a buffer hold more stores.
const ENOUGH: u32 = 4;

fn search(model: Model, buffer_bound: Option<u32>) -> Options {
    Options { buffer_bound, keep_going: true, ..Options::new(model) }
}

fn met(result: &CheckResult) -> bool {
    result.summary.bounds.iter().any(|bound| bound.kind == BoundKind::Buffer)
}

/// The counts that are equal for two searches with the same traces.
fn counts(result: &CheckResult) -> (u64, u64, &[(Vec<u64>, u64)]) {
    let summary = &result.summary;
    (summary.executions, summary.blocked, &summary.states)
}

/// Compares the answers for one test under one model, for each bound.
fn bounds_agree(program: &Verified, model: Model) -> Comparison {
    let unbounded = check(program, &search(model, None));
    let sc = check(program, &search(Model::Sc, None));
    let mut before = 0;
    for bound in 0..=ENOUGH {
        let found = check(program, &search(model, Some(bound)));
        let persistent = check(program, &search(model, Some(bound)).by(Strategy::Persistent));
        let executions = found.summary.executions;
        let right = [
            ("executions given up", found.summary.redundant == 0),
            ("fewer than with less room", executions >= before),
            ("not as many by persistent sets", counts(&persistent) == counts(&found)),
            ("not sc", bound > 0 || counts(&found) == counts(&sc)),
            ("never full, yet not all", met(&found) || counts(&found) == counts(&unbounded)),
            ("full", bound < ENOUGH || !met(&found)),
        ];
        for (what, right) in right {
            ensure(right, || format!("bound {bound}: {what}"))?;
        }
        before = executions;
    }
    Ok(())
}

#[test]
fn the_corpus_for_every_bound() {
    for corpus in Corpus::all("x86") {
        compare_under(subjects(&corpus), &BUFFERED, bounds_agree);
    }
}

/// Raising the bound ends with the result of the unbounded machine, or at a violation that it also has.
fn raised(program: &Verified, model: Model) -> Comparison {
    let unbounded = check(program, &search(model, None));
    let raised = iterate(program, &search(model, None));
    let bound = raised.options.buffer_bound.expect("a bound");
    same("searches", &raised.executions.len(), &(bound as usize + 1))?;
    same("the verdict", &raised.result.verdict, &unbounded.verdict)?;
    if unbounded.verdict == Verdict::Safe {
        ensure(raised.is_enough(), || format!("{bound} is not enough"))?;
        same("counts", &counts(&raised.result), &counts(&unbounded))?;
        ensure(raised.executions.is_sorted(), || format!("{:?}", raised.executions))?;
    }
    if bound > 0 {
        let smaller = check(program, &search(model, Some(bound - 1)));
        let is_bounded = met(&smaller) && smaller.verdict == Verdict::SafeBounded;
        ensure(is_bounded, || format!("{smaller:?}"))?;
    }
    Ok(())
}

#[test]
fn raising_the_bound_ends_at_all_there_is() {
    for config in [Config::memory(), Config::c11(), Config::synchronised()] {
        compare_under(generated(&config, 60), &BUFFERED, raised);
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
