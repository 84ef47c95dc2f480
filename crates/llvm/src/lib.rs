//! Textual LLVM IR, read without LLVM.
//!
//! [`parse`] turns the text that `clang -S -emit-llvm` prints, from LLVM 14 (with opaque pointers)
//! to LLVM 22, into a [`Module`]: types, constants, global values, function bodies and the source
//! positions of instructions. One grammar covers all those versions; nothing asks which of them
//! wrote a file. The language is that of the LLVM Language Reference Manual.
//!
//! | module | subject |
//! |---|---|
//! | [`ast`] | what a module is made of |

pub mod ast;

pub use ast::Module;
