//! Running clang: from source files to textual LLVM IR.
//!
//! Programs are compiled without optimisation: passes may merge or drop accesses that race, and
//! what was dropped cannot be explored. A user who asks for `-O1` or more gets it, and the verdict
//! says so ([`Flags::optimised`]). `optnone` is left out so that `-O0` differs from the rest by its
//! passes only, names of values are kept since registers and objects are called by them, and the
//! debug information is reduced to what positions need.

mod depend;
mod find;
mod flags;
mod overlay;
mod process;
mod run;

pub use depend::sources;
pub use find::{Clang, find};
pub use flags::Flags;
pub use overlay::Overlay;
pub use process::end_all;
pub use run::{Compiled, Failed, MAX_BYTES, compile, is_bitcode};
