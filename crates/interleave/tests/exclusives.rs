//! Load-exclusive and store-conditional under SC: outcomes and traces derived by hand, and equal to
//! those of the search without reduction.

use crate::common;
use raddle_engine::Model;

use common::{checked, threads};

const ITEMS: &str = "global @x: i32\nobserve x = i32 @x";
const INCREMENT: &str =
    "%r = load i32 excl asm @x\n%s = add i32 %r, 1\n%ok = store_cond i32 excl asm @x, %s";

/// Final states as (x, then for each thread its registers), with counts.
fn states(bodies: &[&str]) -> Vec<(Vec<u64>, u64)> {
    checked(&threads(ITEMS, bodies), Model::Sc).states
}

#[test]
fn an_undisturbed_reservation_holds() {
    assert_eq!(states(&[INCREMENT]), [(vec![1, 0, 1, 1], 1)]);
}

/// Both load 0, and only the first store succeeds (2), or one thread ends before the other loads (2).
#[test]
fn of_two_overlapping_increments_one_fails() {
    let first_wins = (vec![1, 0, 1, 1, 0, 1, 0], 1);
    let second_wins = (vec![1, 0, 1, 0, 0, 1, 1], 1);
    let first_then_second = (vec![2, 0, 1, 1, 1, 2, 1], 1);
    let second_then_first = (vec![2, 1, 2, 1, 0, 1, 1], 1);
    let expected = [second_wins, first_wins, first_then_second, second_then_first];
    assert_eq!(states(&[INCREMENT, INCREMENT]), expected);
}

/// A store of the same value also breaks the reservation: the store comes before the load (success), between
/// (failure), or after (success).
#[test]
fn a_store_of_the_same_value_breaks_a_reservation() {
    let attempt = "%r = load i32 excl asm @x\n%ok = store_cond i32 excl asm @x, 1";
    let expected = [(vec![0, 0, 0], 1), (vec![0, 0, 1], 1), (vec![1, 0, 1], 1)];
    assert_eq!(states(&[attempt, "store i32 asm @x, 0"]), expected);
}

#[test]
fn without_a_reservation_nothing_is_stored() {
    assert_eq!(states(&["%ok = store_cond i32 excl asm @x, 1"]), [(vec![0, 0], 1)]);
    let spent = "%r = load i32 excl asm @x\n%ok = store_cond i32 excl asm @x, 1\n\
                 %ok = store_cond i32 excl asm @x, 2";
    assert_eq!(states(&[spent]), [(vec![1, 0, 0], 1)]);
}

/// A reservation covers only its own bytes.
#[test]
fn a_reservation_elsewhere_does_not_count() {
    let items = "global @x: i32\nglobal @y: i32\nobserve x = i32 @x";
    let program =
        threads(items, &["%r = load i32 excl asm @y\n%ok = store_cond i32 excl asm @x, 1"]);
    assert_eq!(checked(&program, Model::Sc).states, [(vec![0, 0, 0], 1)]);
}

/// A load by another thread does not break a reservation: the load is before or after the store.
#[test]
fn loads_do_not_break_a_reservation() {
    let states = states(&[INCREMENT, "%r = load i32 asm @x"]);
    assert_eq!(states, [(vec![1, 0, 1, 1, 0], 1), (vec![1, 0, 1, 1, 1], 1)]);
}
