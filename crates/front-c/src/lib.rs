//! From C to the IR.
//!
//! `clang` compiles to textual LLVM IR ([`clang`]), `raddle-llvm` reads that, and here it is linked
//! ([`link`]), laid out ([`layout`]) and lowered ([`lower`]): what can be reached from `main`, together
//! with the part of the C library that it uses ([`library`]). Local variables become registers where
//! they can ([`promote`]), and objects that never leave their thread are marked ([`escape`]).
//!
//! Every program that [`load()`] returns passes `raddle_ir::verify`. docs/c-support.md says what of C and
//! its library is supported.

pub mod clang;
mod escape;
mod inline_asm;
mod layout;
mod library;
mod link;
mod load;
mod lower;
mod promote;
mod shape;
mod tidy;
mod uses;

pub use inline_asm::Machine;
pub use library::Library;
pub use load::{Error, Loaded, Options, load, lower_text, sources};
