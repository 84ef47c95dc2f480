//! The programs of paper 000's figures (Abdulla and others, *Stateless Model Checking for TSO and
//! PSO*, TACAS 2015), with the numbers of traces that the paper states or that follow from it.

use crate::MODELS;
use crate::common;
use raddle_engine::Model;

use common::{by_oracles, checked, ends_in, threads};

const CELLS: &str = "global @x: i32\nglobal @y: i32\nglobal @z: i32";

fn traces(bodies: &[&str]) -> [u64; 3] {
    let program = threads(CELLS, bodies);
    MODELS.map(|model| checked(&program, model).executions)
}

/// Figure 1: Dekker's idiom. Each load is before or after the other thread's update; under SC not
/// both can be before.
#[test]
fn figure_1_store_buffering() {
    let bodies =
        ["store i32 asm @x, 1\n%r = load i32 asm @y", "store i32 asm @y, 1\n%s = load i32 asm @x"];
    assert_eq!(traces(&bodies), [3, 4, 4]);
    let program = threads(CELLS, &bodies);
    let both_zero = MODELS.map(|model| ends_in(&checked(&program, model), &[0, 0]));
    assert_eq!(both_zero, [false, true, true], "figure 2's execution needs a buffer");
}

/// Figure 5: the load reads from the buffer or from memory, which must make no difference. Section 2: there
/// are three traces, not the six orders of the accesses.
#[test]
fn figure_5_buffer_forwarding() {
    let bodies = ["store i32 asm @x, 1\n%r = load i32 asm @x", "store i32 asm @x, 2"];
    assert_eq!(traces(&bodies), [3, 3, 3]);
    let items = format!("{CELLS}\nobserve x = i32 @x");
    let program = threads(&items, &bodies);
    for model in MODELS {
        // Observables in the order of the text: x, then the register.
        let expected = [(vec![1, 1], 1), (vec![2, 1], 1), (vec![2, 2], 1)];
        assert_eq!(checked(&program, model).states, expected, "{model}");
    }
}

/// Figure 10: Peterson's idiom. Both loads of the other's flag can be 0 under TSO.
#[test]
fn figure_10_peterson() {
    let program = threads(
        CELLS,
        &[
            "store i32 asm @x, 1\nstore i32 asm @z, 1\n%r = load i32 asm @z\n%s = load i32 asm @y",
            "store i32 asm @y, 1\nstore i32 asm @z, 0\n%r = load i32 asm @z\n%s = load i32 asm @x",
        ],
    );
    for model in MODELS {
        let found = checked(&program, model);
        let expected = by_oracles(&program, model).expect("the oracles know loads and stores");
        assert_eq!(found.executions, expected.executions, "{model}");
        // Figure 10(c): each thread reads its own store to z, and neither sees the other's flag.
        assert_eq!(ends_in(&found, &[1, 0, 0, 0]), model != Model::Sc, "{model}");
    }
}

/// Figure 11: message passing. The flag overtakes the message under PSO only.
#[test]
fn figure_11_message_passing() {
    let bodies =
        ["store i32 asm @x, 1\nstore i32 asm @y, 1", "%r = load i32 asm @y\n%s = load i32 asm @x"];
    assert_eq!(traces(&bodies), [3, 3, 4]);
    let program = threads(CELLS, &bodies);
    let overtaken = MODELS.map(|model| ends_in(&checked(&program, model), &[1, 0]));
    assert_eq!(overtaken, [false, false, true]);
}
