//! The C front end: translates C to the IR.
//!
//! `clang` compiles to textual LLVM IR ([`clang`]) and `raddle-llvm` parses it. This crate links the modules
//! ([`link`]), computes the layout of types ([`layout`]) and lowers all code that is reachable from `main`
//! ([`lower`]), together with the part of the C library that it uses ([`library`]). Local variables become
//! registers if possible ([`promote`]), and objects that never leave their thread are marked ([`escape`]).
//! Functions that nobody defines are listed ([`undefined`]); the user may stand in for them ([`stub`]).
//!
//! Every program that [`load()`] returns passes `raddle_ir::verify`. docs/c-support.md lists the supported
//! parts of C and its library.

mod allocated;
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
mod source;
mod stub;
mod tidy;
mod undefined;
mod uses;

pub use inline_asm::Machine;
pub use load::{Error, Loaded, Options, load, lower_text};
pub use stub::{Does, Stub};
pub use undefined::{Hint, Undefined, Use};
