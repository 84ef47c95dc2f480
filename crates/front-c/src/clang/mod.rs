//! Running clang: from source files to textual LLVM IR.
//!
//! Programs are compiled without optimisation: optimisation passes may merge or drop accesses that race,
//! and dropped accesses cannot be explored. If the user asks for `-O1` or more, raddle uses it, and the
//! verdict says so ([`Flags::optimised`]); functions that have a meaning by their names are excluded ([`keep`]). `optnone` is left out so that `-O0` differs from the other
//! levels only by its passes. Names of values are kept since registers and objects are named after them.
//! Debug information is reduced to source positions.

mod depend;
mod find;
mod flags;
mod keep;
mod overlay;
mod process;
mod run;

pub use depend::Rule;
pub use find::{Clang, OLDEST, all, find};
pub use flags::Flags;
pub use overlay::Overlay;
pub use process::end_all;
pub use run::{Compiled, Failed, MAX_BYTES, compile, is_bitcode};
