//! A reader for textual LLVM IR that does not need LLVM.
//!
//! [`parse()`] turns the text that `clang -S -emit-llvm` prints, from LLVM 14
//! to LLVM 22, into a [`Module`]: types, constants, global values, function bodies and the source
//! positions of instructions. One grammar covers all these versions; the parser does not distinguish
//! them. The LLVM Language Reference Manual defines the language.
//!
//! Ill-formed text is rejected with a diagnostic. Well-formed text is kept or, for attributes and metadata
//! without an effect, skipped. The parser checks the rules that it needs to understand the text and those
//! that users of the module rely on (see [`ast`]). It does not verify LLVM's other rules, in particular
//! dominance.
//!
//! | module | subject |
//! |---|---|
//! | [`ast`] | the parts of a module |
//! | `lex` | bytes to tokens |
//! | `parse` | tokens to a module |
//! | `intern` | interned names, types and constants |
//! | `numbers` | maps from the numbers in the text |
//! | `fault` | the reason why a text is rejected |

pub mod ast;
mod fault;
mod intern;
mod lex;
mod numbers;
mod parse;

pub use ast::Module;
pub use parse::parse;
