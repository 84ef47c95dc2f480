//! Textual LLVM IR, read without LLVM.
//!
//! [`parse()`] turns the text that `clang -S -emit-llvm` prints, from LLVM 14
//! to LLVM 22, into a [`Module`]: types, constants, global values, function bodies and the source
//! positions of instructions. One grammar covers all those versions; nothing asks which of them
//! wrote a file. The language is that of the LLVM Language Reference Manual.
//!
//! What a well-formed file cannot hold is refused with a diagnostic; what is well-formed is kept or,
//! for attributes and metadata that change nothing, skipped. The parser checks what it needs to
//! understand the text and what its readers rely on (see [`ast`]); it is no verifier of LLVM's
//! other rules, dominance above all.
//!
//! | module | subject |
//! |---|---|
//! | [`ast`] | what a module is made of |
//! | `lex` | bytes to tokens |
//! | `parse` | tokens to a module |
//! | `intern` | names, types and constants, each kept once |
//! | `numbers` | maps from the text's own numbers |
//! | `fault` | why a text is refused |

pub mod ast;
mod fault;
mod intern;
mod lex;
mod numbers;
mod parse;

pub use ast::Module;
pub use parse::parse;
