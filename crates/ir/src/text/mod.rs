//! The `.rir` text form: printer and parser.
//!
//! [`print()`] and [`parse_with`] are inverse to each other on well-formed programs (see
//! [`mod@crate::verify`]): with `own_positions: false` parsing returns an equal program, including the
//! tables of files and positions. `docs/ir.md` is the reference of the language, with an example of
//! each construct. This is the grammar, with `[x]` for optional, `x*` for repeated, `x,*` for a list
//! with commas, and words in quotes:
//!
//! ```text
//! file      = item*                                  items in any order, each on its own line
//! item      = "program" STRING
//!           | "file" N "=" STRING                    N counts from 0
//!           | "loc" N "=" N ":" N ":" N ["in" N]     file, line, column, inlined at
//!           | "type" N "=" source                    N counts from 0
//!           | "allocation" @NAME [N] "=" N           function, position, type
//!           | "start" @NAME [N] "=" @NAME
//!           | ["const"] ["thread_local" ["private"]] "global" @NAME ":" object
//!           | "thread" NAME "=" @NAME "(" constant,* ")"
//!           | "observe" NAME "=" (NAME %REG | TYPE @NAME ["+" N])
//!           | ("exists" | "not" "exists" | "forall") prop
//!           | "goal" (NAME LABEL),*                  a thread and a block, one or more
//!           | "memory_lock" @NAME
//!           | ["library"] "func" @NAME "(" (%REG ":" TYPE),* ")" ["->" TYPE] [position] [body]
//! source    = ("int" | "uint" | "char" | "bool" | "float") N | "pointer" | "array" N "x" N
//!           | "enum" STRING ("int" | "uint") N "{" (STRING "=" N),* "}"
//!           | ("struct" | "union") STRING N "{" member,* "}" | "opaque" STRING N
//! member    = [STRING ":"] N "at" N ["bits" N "from" N]
//! object    = TYPE ["x" N] ["align" N] ["type" N] ["=" (constant | "[" constant,* "]")]
//!           | "bytes" N ["align" N] ["type" N] ["=" "hex" STRING] ["relocs" "{" (N ":" constant),* "}"]
//! body      = "{" ("reg" (%REG ":" TYPE ["type" N]),*)* block* "}"
//! block     = LABEL ":" (instruction [position])* terminator [position]
//! position  = "!" N | "!" STRING ":" N ":" N
//! operand   = %REG | constant
//! constant  = NUMBER | "undef" | @NAME [("+" | "-") N] | "&" @NAME
//! prop      = or ["=>" prop]      or = and ("||" and)*      and = unary ("&&" unary)*
//! unary     = "!" unary | "(" prop ")" | "true" | "false" | ("all" | "any") "(" prop,* ")"
//!           | term ("==" | "!=") term                term = NAME | NUMBER | @NAME ["+" N]
//! ```
//!
//! Registers and blocks without a name are written by number, `%3` and `#3`; a name is never a
//! number unless it is quoted, so the two cannot clash. An instruction ends with its line, but may
//! continue on the next line after any token that cannot end it.
//!
//! Limits, each with a diagnostic: [`MAX_SOURCE`] bytes of source, [`MAX_NESTING`] levels of
//! parentheses in a condition, [`MAX_INITIALISED`] bytes of initialisers.

mod cursor;
mod lex;
mod literal;
mod object;
mod parse;
mod print;

use crate::diag::Diagnostic;
use crate::file::{NotText, decoded};
use crate::program::Program;
use crate::verify::{Verified, verify};
pub use literal::{decimal, is_hidden, quoted};

/// The maximum size of a source, in bytes.
pub const MAX_SOURCE: usize = 64 << 20;
/// The maximum nesting depth of a condition.
pub const MAX_NESTING: usize = crate::verify::MAX_CONDITION_DEPTH;
/// The maximum total size of all initialisers of a program, in bytes: a fill such as
/// `i64 x 1000 = 1` is short in the source and long in memory.
pub const MAX_INITIALISED: u64 = 256 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// Gives each construct without a written position its own place in the `.rir` file as position.
    pub own_positions: bool,
}

/// The text of a program; it ends with a line end.
pub fn print(program: &Program) -> String {
    print::program(program)
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}

/// Reads a program as the user wrote it; messages and positions refer to the source as `file`.
///
/// The program is not verified.
pub fn parse(file: &str, source: &str) -> Result<Program, Diagnostic> {
    parse_with(file, source, ParseOptions { own_positions: true })
}

pub fn parse_with(file: &str, source: &str, options: ParseOptions) -> Result<Program, Diagnostic> {
    parse::program(file, source, options).map_err(|error| *error)
}

/// Reads and verifies a file.
pub fn load(file: &str, bytes: &[u8]) -> Result<Verified, Diagnostic> {
    Ok(verify(parse_bytes(file, bytes)?)?)
}

/// [`parse()`] for bytes that may not be UTF-8 text.
pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Program, Diagnostic> {
    let source = decoded(bytes).map_err(|NotText { at, what }| {
        let message = format!("{what}: this is not a text file");
        Diagnostic::at(file, bytes, at..at + 1, message).expected("UTF-8 text")
    })?;
    parse(file, source)
}
