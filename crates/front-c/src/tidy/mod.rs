//! Cleanup after translation: fewer blocks, fewer moves, fewer registers.
//!
//! Promotion of variables leaves a move for every load and store, and unoptimised code has many small
//! blocks. Both cost time in every explored execution. The cleanup does not change the behaviour of a
//! program: visible operations are neither added, dropped nor reordered.
//!
//! | module | subject |
//! |---|---|
//! | [`blocks`] | jumps to jumps, chains of blocks, unreachable blocks |
//! | [`copies`] | reading the original instead of its copy; computing directly into the variable |
//! | [`dead`] | results that are never read; unused registers |

mod blocks;
mod copies;
mod dead;

use raddle_ir::Function;

pub(crate) fn run(function: &mut Function) {
    blocks::simplify(function);
    copies::propagate(function);
    dead::remove(function);
    copies::coalesce(function);
    dead::remove(function);
    blocks::simplify(function);
    dead::compact(function);
}
