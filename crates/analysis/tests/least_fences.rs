//! The numbers of fences in `tests/automata/expected.tsv`, compared with an oracle that follows the
//! definition: all executions under TSO with buffers of a few stores, and their traces.
//! `RADDLE_LONG=1` compares all files.

use crate::by_states;
use crate::support::{expected, load};
use raddle_engine::Model;
use raddle_ir::{FenceKind, Verified};
use raddle_oracle::campaign::{Stop, compare_seeds, same};
use raddle_oracle::capped::beyond_sc;
use raddle_oracle::{Trouble, automata, fences::fewest_grown};
use raddle_reach::{Robust, robust};
use raddle_testing::is_long;

/// The number of stores that a buffer holds. The smallest counterexamples here need no longer buffers, as
/// the equal numbers of fences show.
const LENGTH: usize = 2;

/// `None` if the program is too large for the oracle.
fn is_robust(program: &Verified, length: usize, budget: usize) -> Option<bool> {
    match beyond_sc(program, length, budget) {
        Ok(found) => Some(!found.beyond_sc),
        Err(Trouble::Budget) => None,
        Err(trouble) => panic!("{trouble}"),
    }
}

#[test]
fn automata_are_robust_by_definition() {
    let budget = if is_long() { 20_000_000 } else { 10_000 };
    let mut compared = 0;
    for row in expected() {
        if let Some(robust) = is_robust(&load(&row[0]), LENGTH, budget) {
            assert_eq!(robust, row[1] == "yes", "{}", row[0]);
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared} compared");
}

#[test]
fn no_fewer_fences_do_by_definition() {
    let small = ["dekker-simple", "peterson", "parker", "chase-lev", "burns", "rcu", "abp"];
    for row in expected().iter().filter(|row| row[1] == "no") {
        // Three threads that delay stores have too many states to try this many sets.
        if row[0] == "lamport-3" || !is_long() && !small.contains(&&*row[0]) {
            continue;
        }
        let program = load(&row[0]);
        let wanted: usize = row[2].parse().expect("a number");
        let mut good =
            |program: &Verified| is_robust(program, LENGTH, 20_000_000).expect("small enough");
        let fewest = fewest_grown(&program, FenceKind::Mfence, wanted, &mut good);
        assert_eq!(fewest, Some(wanted), "{}", row[0]);
    }
}

#[test]
fn generated_automata_are_robust_by_definition() {
    let mut beyond = 0;
    let tally = compare_seeds(90, |seed| {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        let oracle = !beyond_sc(&program, 3, 6_000)?.beyond_sc;
        let engine = match robust(&program, &by_states(Model::Tso)).verdict {
            Robust::Robust => true,
            Robust::Attacked(_) => false,
            Robust::Unknown(_) => return Err(Stop::Skip),
        };
        beyond += u32::from(!oracle);
        same(source, &engine, &oracle)
    });
    assert!(tally.compared > 20 && beyond > 2, "{tally:?}, {beyond} beyond");
}
