//! Cleaning up after translation: fewer blocks, fewer moves, fewer registers.
//!
//! Promotion of variables leaves a move for every load and store, and clang without optimisation a
//! block for every corner of the source. None of it changes what a program does; all of it costs time
//! in every execution that is explored. Visible operations are neither added, dropped nor reordered.
//!
//! | module | subject |
//! |---|---|
//! | [`blocks`] | jumps to jumps, chains of blocks, what cannot be reached |
//! | [`copies`] | reading the original instead of its copy; computing right into the variable |
//! | [`dead`] | results that nobody reads; registers that nobody uses |

mod blocks;
mod copies;
mod dead;

use raddle_ir::Function;

pub fn run(function: &mut Function) {
    blocks::simplify(function);
    copies::propagate(function);
    dead::remove(function);
    copies::coalesce(function);
    dead::remove(function);
    blocks::simplify(function);
    dead::compact(function);
}
