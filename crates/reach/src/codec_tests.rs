//! A state that is encoded and decoded is the same state: checked along random walks.

use crate::rules::Rules;
use crate::space::{Row, Scratch, Space};
use crate::system::System;
use raddle_engine::Budget;
use raddle_ir::Verified;
use raddle_machine::{Bounds, Unroll};
use raddle_oracle::campaign::{Comparison, compare_under, generated, same};
use raddle_oracle::generate::Config;

/// Walks through the program, and encodes and decodes every state on the way.
fn states_come_back(program: &Verified, attacks: bool) -> Comparison {
    let bounds =
        Bounds { steps: 100_000, unroll: Unroll::NONE, spin: false, budget: Budget::UNLIMITED };
    let rules = Rules { attacks, ..Rules::default() };
    let mut system = System::new(program, bounds, rules).expect("it starts");
    let (space, mut scratch) = (Space::new(None), Scratch::default());
    let (mut before, mut after) = (Row::default(), Row::default());
    let (mut moves, mut others) = (Vec::new(), Vec::new());
    for step in 0..40 {
        system.encode(&mut before);
        let state = space.id(&before, &mut scratch);
        moves.clear();
        system.moves(&mut moves);
        system.decode(&space, state, &mut scratch);
        system.encode(&mut after);
        same("the state", &(&after.head, &after.bytes), &(&before.head, &before.bytes))?;
        others.clear();
        system.moves(&mut others);
        same("the moves", &others, &moves)?;
        if moves.is_empty() {
            break;
        }
        system.perform(moves[step * 7 % moves.len()]);
    }
    Ok(())
}

#[test]
fn states_come_back_along_walks() {
    for config in [Config::c11(), Config::synchronised(), Config::waiting()] {
        compare_under(generated(&config, 60), &[false, true], states_come_back);
    }
}
