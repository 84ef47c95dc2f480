//! The generator and the shrinker.

use crate::common;

use common::BUDGET;
use raddle_ir::verify::errors;
use raddle_ir::{InstKind, Program, Verified, text};
use raddle_oracle::cycles::{Edge, enumerate};
use raddle_oracle::generate::{self, Config};
use raddle_oracle::shrink::shrink;
use raddle_oracle::{Model, interleavings};
use std::collections::BTreeSet;

fn insts(program: &Program) -> impl Iterator<Item = &InstKind> {
    let blocks = program.funcs.values().flat_map(|function| function.blocks.values());
    blocks.flat_map(|block| block.insts.iter().map(|inst| &inst.kind))
}

#[test]
fn generated_programs_are_well_formed() {
    let weak = [Config::weak(), Config::weak_c11()];
    for config in [Config::memory(), Config::c11(), Config::synchronised()].iter().chain(&weak) {
        for seed in 0..500 {
            let program = generate::program(config, seed);
            assert_eq!(errors(&program), [], "seed {seed}\n{}", text::print(&program));
        }
    }
}

#[test]
fn programs_of_cycles_are_well_formed() {
    for cycle in enumerate(&Edge::all(), 4).into_iter().chain(enumerate(&Edge::weak(), 3)) {
        assert_eq!(errors(&cycle.program()), [], "{cycle}");
    }
}

#[test]
fn the_seed_decides() {
    let config = Config::synchronised();
    assert_eq!(generate::program(&config, 7), generate::program(&config, 7));
    assert_ne!(generate::program(&config, 7), generate::program(&config, 8));
}

#[test]
fn every_kind_of_statement_is_generated() {
    let mut seen = BTreeSet::new();
    for seed in 0..300 {
        let program = generate::program(&Config::synchronised(), seed);
        seen.extend(insts(&program).map(|inst| {
            let debug = format!("{inst:?}");
            debug.split([' ', '{']).next().unwrap_or_default().to_owned()
        }));
    }
    for kind in [
        "Load",
        "Store",
        "Rmw",
        "CmpXchg",
        "Fence",
        "Assume",
        "Assert",
        "Choose",
        "Call",
        "Await",
        "Lock",
        "TryLock",
        "Unlock",
        "CondWait",
        "CondSignal",
        "CondBroadcast",
        "Spawn",
        "Join",
        "Bin",
        "Cmp",
        "Cast",
        "Move",
    ] {
        assert!(seen.contains(kind), "{kind}");
    }
}

/// Whether some final state is possible under TSO only.
fn shows_a_relaxed_state(program: &Verified) -> bool {
    let states = |model| interleavings::executions(program, model, BUDGET).map(|o| o.states);
    match (states(Model::Sc), states(Model::Tso)) {
        (Ok(sc), Ok(tso)) => tso.keys().any(|state| !sc.contains_key(state)),
        _ => false,
    }
}

#[test]
fn shrinking_finds_store_buffering() {
    let mut found = 0;
    for seed in 0..200 {
        let program = generate::program(&Config::memory(), seed);
        if !shows_a_relaxed_state(&program) {
            continue;
        }
        found += 1;
        let small = shrink(&program, &mut shows_a_relaxed_state);
        assert!(errors(&small).is_empty() && shows_a_relaxed_state(&small));
        // Four accesses are enough: by two threads, or by three if a value is relayed or written elsewhere.
        assert!(insts(&small).count() <= 5, "seed {seed}\n{}", text::print(&small));
        assert_eq!(small, shrink(&program, &mut shows_a_relaxed_state), "deterministic");
        if found == 5 {
            return;
        }
    }
    panic!("no relaxed program among the first seeds");
}

/// Whether some execution ends with a non-zero observable.
fn does_something(program: &Verified) -> bool {
    let outcome = interleavings::executions(program, Model::Sc, BUDGET);
    outcome.is_ok_and(|o| o.states.keys().flatten().any(|value| *value != 0))
}

#[test]
fn shrinking_keeps_nothing_that_is_not_needed() {
    // Shrinking does not look through the computation of an address.
    let mut config = Config::synchronised();
    config.weights.index = 0;
    for seed in 0..40 {
        let program = generate::program(&config, seed);
        if does_something(&program) {
            let small = shrink(&program, &mut does_something);
            let sizes = [small.threads.len(), small.observables.len(), insts(&small).count()];
            assert_eq!(sizes[..2], [1, 1], "seed {seed}\n{}", text::print(&small));
            assert!(sizes[2] <= 3, "seed {seed}\n{}", text::print(&small));
        }
    }
}
