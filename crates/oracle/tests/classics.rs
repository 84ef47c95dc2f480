//! Well-known programs, with the number of executions that each model allows.

use crate::common;

use common::{both, counts, program};
use raddle_oracle::Model;

fn has_state(threads: &[&[&str]], model: Model, state: &[u64]) -> bool {
    both(&program(threads), model).states.contains_key(state)
}

#[test]
fn store_buffering() {
    assert_eq!(counts(&program(&[&["x=1", "y"], &["y=1", "x"]])), [3, 4, 4]);
}

#[test]
fn store_buffering_with_fences() {
    assert_eq!(counts(&program(&[&["x=1", "mfence", "y"], &["y=1", "mfence", "x"]])), [3, 3, 3]);
    // One fence is not enough.
    assert_eq!(counts(&program(&[&["x=1", "mfence", "y"], &["y=1", "x"]])), [3, 4, 4]);
}

#[test]
fn store_buffering_with_sequentially_consistent_stores() {
    assert_eq!(counts(&program(&[&["x!=1", "y"], &["y!=1", "x"]])), [3, 3, 3]);
    assert_eq!(counts(&program(&[&["x:=1", "y"], &["y:=1", "x"]])), [3, 4, 4]);
}

#[test]
fn locked_instructions_are_fences_even_when_they_fail() {
    assert_eq!(counts(&program(&[&["x=1", "z+1", "y"], &["y=1", "w+1", "x"]])), [3, 3, 3]);
    assert_eq!(counts(&program(&[&["x=1", "z?7:1", "y"], &["y=1", "w?7:1", "x"]])), [3, 3, 3]);
}

#[test]
fn store_buffering_with_forwarding() {
    let threads: &[&[&str]] = &[&["x=1", "x", "y"], &["y=1", "y", "x"]];
    let relaxed = [1, 0, 1, 0, 1, 1];
    assert!(!has_state(threads, Model::Sc, &relaxed));
    assert!(has_state(threads, Model::Tso, &relaxed));
    assert!(has_state(threads, Model::Pso, &relaxed));
    assert_eq!(counts(&program(threads)), [3, 4, 4]);
}

#[test]
fn message_passing() {
    assert_eq!(counts(&program(&[&["x=1", "y=1"], &["y", "x"]])), [3, 3, 4]);
    assert_eq!(counts(&program(&[&["x=1", "sfence", "y=1"], &["y", "x"]])), [3, 3, 3]);
    assert_eq!(counts(&program(&[&["x=1", "y:=1"], &["y", "x"]])), [3, 3, 3]);
    assert_eq!(counts(&program(&[&["x=1", "y+1"], &["y", "x"]])), [3, 3, 3]);
}

#[test]
fn load_buffering_needs_weaker_models() {
    assert_eq!(counts(&program(&[&["x", "y=1"], &["y", "x=1"]])), [3, 3, 3]);
}

#[test]
fn two_plus_two_writes() {
    let threads: &[&[&str]] = &[&["x=1", "y=2"], &["y=1", "x=2"]];
    assert_eq!(counts(&program(threads)), [3, 3, 4]);
    assert!(has_state(threads, Model::Pso, &[1, 1]));
    assert!(!has_state(threads, Model::Tso, &[1, 1]));
}

#[test]
fn independent_reads_of_independent_writes() {
    let threads: &[&[&str]] = &[&["x=1"], &["y=1"], &["x", "y"], &["y", "x"]];
    assert_eq!(counts(&program(threads)), [15, 15, 15]);
}

#[test]
fn r_and_s() {
    // R: the final value of y shows the order of the writes to it.
    let r: &[&[&str]] = &[&["x=1", "y=1"], &["y=2", "x"]];
    assert_eq!(counts(&program(r)), [3, 4, 4]);
    let s: &[&[&str]] = &[&["x=2", "y=1"], &["y", "x=1"]];
    assert_eq!(counts(&program(s)), [3, 3, 4]);
}

#[test]
fn write_to_read_causality() {
    let threads: &[&[&str]] = &[&["x=1"], &["x", "y=1"], &["y", "x"]];
    assert_eq!(counts(&program(threads)), [7, 7, 7]);
}

#[test]
fn coherence_holds_everywhere() {
    assert_eq!(counts(&program(&[&["x=1"], &["x", "x"]])), [3, 3, 3]);
    assert_eq!(counts(&program(&[&["x=1", "x=2"], &["x", "x"]])), [6, 6, 6]);
    assert_eq!(counts(&program(&[&["x=1"], &["x=2"]])), [2, 2, 2]);
}

#[test]
fn increments_have_n_factorial_orders() {
    for (n, factorial) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        let threads: Vec<&[&str]> = vec![&["x+1"]; n];
        let program = program(&threads);
        assert_eq!(counts(&program), [factorial; 3]);
        let states = both(&program, Model::Tso).states;
        assert!(states.keys().all(|state| state[n] == n as u64), "no increment is lost");
    }
}

#[test]
fn readers_of_one_cell() {
    let threads: Vec<&[&str]> = vec![&["x=1"], &["x"], &["x"], &["x"]];
    assert_eq!(counts(&program(&threads)), [8, 8, 8]);
}

#[test]
fn one_compare_and_swap_wins() {
    let program = program(&[&["x?0:1"], &["x?0:2"]]);
    assert_eq!(counts(&program), [2, 2, 2]);
    let states = both(&program, Model::Sc).states;
    assert_eq!(Vec::from_iter(states.into_keys()), [vec![0, 1, 1], vec![2, 0, 2]]);
}

#[test]
fn chains_of_compare_and_swap() {
    let program = program(&[&["x?0:1"], &["x?1:2"], &["x?2:3"]]);
    let states = both(&program, Model::Sc).states;
    assert!(states.contains_key(&[0, 1, 2, 3][..]));
    assert_eq!(counts(&program)[0], counts(&program)[2]);
}

#[test]
fn assume_and_assert_are_counted_apart() {
    let assumed = both(&program(&[&["x=1"], &["x", "assume 1", "y=1"]]), Model::Tso);
    assert_eq!((assumed.executions, assumed.blocked), (1, 1));
    let asserted = both(&program(&[&["x=1"], &["x", "assert 1"]]), Model::Tso);
    assert_eq!((asserted.executions, asserted.assertion_failures), (2, 1));
    assert_eq!(asserted.states.values().sum::<u64>(), 1);
    // An execution that fails and is blocked counts as a failure.
    let mixed = both(&program(&[&["x", "assume 1"], &["x", "assert 1"]]), Model::Sc);
    assert_eq!((mixed.executions, mixed.blocked, mixed.assertion_failures), (1, 0, 1));
}

#[test]
fn a_stopped_thread_has_still_stored() {
    let threads: &[&[&str]] = &[&["x=1", "y", "assert 1"], &["x"]];
    assert_eq!(counts(&program(threads)), [2, 2, 2]);
}

#[test]
fn choices_are_executions_of_their_own() {
    assert_eq!(counts(&program(&[&["choose 2", "x=1"], &["x"]])), [6, 6, 6]);
}
