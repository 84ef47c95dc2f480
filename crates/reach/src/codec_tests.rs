//! A state that was taken apart and put together again is the same state: along random walks.

use crate::rules::Rules;
use crate::space::{Row, Scratch, Space};
use crate::system::System;
use raddle_engine::Budget;
use raddle_machine::{Bounds, Unroll};
use raddle_oracle::generate::{self, Config};

#[test]
fn states_come_back() {
    let bounds =
        Bounds { steps: 100_000, unroll: Unroll::NONE, spin: false, budget: Budget::UNLIMITED };
    for config in [Config::c11(), Config::synchronised(), Config::waiting()] {
        for seed in 0..60 {
            let program = generate::program(&config, seed);
            let rules = Rules { attacks: seed % 2 == 0, ..Rules::default() };
            let mut system = System::new(&program, bounds.clone(), rules).expect("it starts");
            let (space, mut scratch) = (Space::new(None), Scratch::default());
            let (mut before, mut after) = (Row::default(), Row::default());
            let (mut moves, mut others) = (Vec::new(), Vec::new());
            for step in 0..40 {
                system.encode(&mut before);
                let (state, _) = space.insert(&before, None, &mut scratch);
                moves.clear();
                system.moves(&mut moves);
                system.decode(&space, state, &mut scratch);
                system.encode(&mut after);
                assert_eq!((&before.head, &before.bytes), (&after.head, &after.bytes));
                others.clear();
                system.moves(&mut others);
                assert_eq!(moves, others);
                let Some(by) = moves.get((seed as usize * 7 + step * 3) % moves.len().max(1))
                else {
                    break;
                };
                system.perform(*by);
            }
        }
    }
}
