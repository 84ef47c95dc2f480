//! Parsing of the text to a syntax tree.
//!
//! | module | subject |
//! |---|---|
//! | [`source`] | bytes to text: size, encoding, positions |
//! | [`header`] | architecture, name, description, metadata |
//! | [`token`] | the tokens of everything from the opening brace on |
//! | [`cursor`] | a position in the tokens, and shared grammar rules |
//! | [`init`] | the initial state |
//! | [`code`] | columns, labels, instructions, operands |
//! | [`cond`] | `locations` and the final condition |

mod code;
mod cond;
mod cursor;
mod header;
mod init;
mod source;
mod token;

use crate::ast::LitmusTest;
use cursor::Cursor;
use raddle_ir::Diagnostic;
use source::Source;

/// Parses a test without interpreting its instructions.
pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<LitmusTest, Diagnostic> {
    let source = Source::decode(file, bytes)?;
    let header = header::read(&source)?;
    let mut cursor = Cursor::new(file, token::tokens(&source, header.body)?);
    let init = init::parse(&mut cursor)?;
    let threads = code::parse(&mut cursor)?;
    let (locations, condition) = cond::parse(&mut cursor)?;
    Ok(LitmusTest {
        file: file.to_owned(),
        arch: header.arch,
        name: header.name,
        doc: header.doc,
        metadata: header.metadata,
        init,
        threads,
        locations,
        condition,
    })
}
