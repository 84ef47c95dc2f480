//! Loads that read from their thread's own store buffer.

use crate::common;
use raddle_engine::Model;

use common::{checked, threads};

/// Found by comparing strategies on generated programs: the load that the store to `x` was forwarded to happens
/// before the update of `x`, through the store to `y`. The update still races with the next access.
#[test]
fn an_update_that_has_seen_its_load() {
    let bodies = [
        "%r = rmw add i32 asm @y, 0\nstore i32 asm @x, 0",
        "store i32 asm @x, 0\n%r = load i32 asm @x\nstore i32 asm @y, 0",
        "%r = rmw or i32 asm @x, 0",
    ];
    let program = threads("global @x: i32\nglobal @y: i32", &bodies);
    checked(&program, Model::Sc);
    checked(&program, Model::Tso);
    assert_eq!(checked(&program, Model::Pso).executions, 19);
}
