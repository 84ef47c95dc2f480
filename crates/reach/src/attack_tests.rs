//! Compares attacks with restricted windows against those of the papers, in which the other threads may do
//! anything in the window: both must find the same stores past the same loads. `RADDLE_LONG=1` runs many
//! more programs.

use crate::rules::Rules;
use crate::search::{Found, Search, Target};
use raddle_engine::Budget;
use raddle_ir::Verified;
use raddle_machine::{Bounds, Unroll};
use raddle_oracle::automata;
use raddle_oracle::campaign::{compare, compare_seeds, generated, same};
use raddle_oracle::generate::Config;

/// Thread, store and load of every attack that succeeds.
fn attacks(program: &Verified, whole_windows: bool) -> Vec<(u32, u32, u32)> {
    let rules = Rules { attacks: true, whole_windows, ..Rules::default() };
    let budget = Budget::UNLIMITED;
    let bounds = Bounds { steps: 100_000, unroll: Unroll::NONE, spin: true, budget };
    let search = Search::new(program, bounds, rules, Target::Rules, 1);
    let outcome = search.expect("it starts").find_all().run();
    assert!(outcome.ended.is_none());
    let found = outcome.found.iter().filter_map(|finding| match finding.kind {
        Found::Attack { thread, store, load } => Some((thread.0, store.0, load.0)),
        _ => None,
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found
}

/// Replaces some operations, so that more programs take the memory lock.
fn with_locks(source: &str, seed: u64) -> String {
    match seed % 3 {
        0 => source.to_owned(),
        1 => source.replace("mfence", "lock").replace("noop", "unlock"),
        _ => source.replace("local r & + s 1 3", "lock").replace("local s & + s 1 3", "unlock"),
    }
}

#[test]
fn automata_are_attacked_alike() {
    let (mut all, mut locked) = (0, 0);
    let tally = compare_seeds(150, |seed| {
        let source = with_locks(&automata::source(seed), seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        let found = attacks(&program, false);
        all += u64::from(!found.is_empty());
        locked += u64::from(!found.is_empty() && program.memory_lock.is_some());
        same(source, &found, &attacks(&program, true))
    });
    let enough = all * 6 > tally.compared && locked * 30 > tally.compared;
    assert!(enough, "{all} are attacked, {locked} with locks");
}

#[test]
fn programs_are_attacked_alike() {
    for config in [Config::memory(), Config::c11(), Config::synchronised(), Config::waiting()] {
        compare(generated(&config, 40), |program| {
            same("attacks", &attacks(program, false), &attacks(program, true))
        });
    }
}
