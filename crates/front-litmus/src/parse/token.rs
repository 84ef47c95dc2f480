//! The tokens of a test, from the opening brace on.

use super::source::{Scanner, Source};
use crate::ast::At;
use raddle_ir::Diagnostic;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// Letters, digits, `_` and `.` (which ends `stwcx.`), starting with a letter or `_`.
    Word(String),
    /// An integer without its sign.
    Int(u64),
    /// Any other single character. The parser decides whether it is valid.
    Punct(char),
    /// `/\`
    And,
    /// `\/`
    Or,
    /// `=>`
    Implies,
    /// `!=`, `<>`
    NotEqual,
    /// `<<`: starts notes of other tools at the end of a test.
    Notes,
    End,
}

impl fmt::Display for Tok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tok::Word(word) => write!(f, "`{word}`"),
            Tok::Int(value) => write!(f, "`{value}`"),
            Tok::Punct(c) => write!(f, "`{c}`"),
            Tok::And => f.write_str("`/\\`"),
            Tok::Or => f.write_str("`\\/`"),
            Tok::Implies => f.write_str("`=>`"),
            Tok::NotEqual => f.write_str("`!=`"),
            Tok::Notes => f.write_str("`<<`"),
            Tok::End => f.write_str("the end of the file"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub at: At,
}

const SYMBOLS: &[(&str, Tok)] = &[
    ("/\\", Tok::And),
    ("\\/", Tok::Or),
    ("=>", Tok::Implies),
    ("!=", Tok::NotEqual),
    ("<>", Tok::NotEqual),
    ("<<", Tok::Notes),
];

/// All tokens; the last one is [`Tok::End`]. Text after `<<` is ignored: it belongs to
/// other tools and follows no grammar.
pub(super) fn tokens(source: &Source<'_>, mut scan: Scanner<'_>) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    loop {
        scan.skip_blank()?;
        let start = scan.here();
        let tok = next(source.file, &mut scan)?;
        let last = matches!(tok, Tok::End | Tok::Notes);
        tokens.push(Token { tok, at: scan.since(start) });
        if last {
            return Ok(tokens);
        }
    }
}

fn next(file: &str, scan: &mut Scanner<'_>) -> Result<Tok, Diagnostic> {
    let Some(c) = scan.peek() else { return Ok(Tok::End) };
    if c.is_ascii_alphabetic() || c == '_' {
        return Ok(Tok::Word(scan.take_while(is_word).to_owned()));
    }
    if c.is_ascii_digit() {
        return number(file, scan);
    }
    for (text, tok) in SYMBOLS {
        if scan.bump_str(text) {
            return Ok(tok.clone());
        }
    }
    scan.bump();
    Ok(Tok::Punct(c))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

fn number(file: &str, scan: &mut Scanner<'_>) -> Result<Tok, Diagnostic> {
    let start = scan.here();
    let text = scan.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let at = scan.since(start);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(at
            .error(file, format!("`{text}` is not a number"))
            .expected("a decimal number, or a hexadecimal one after `0x`"));
    }
    u64::from_str_radix(digits, radix).map(Tok::Int).map_err(|_| {
        at.error(file, "this number is too large").expected("a number of at most 64 bits")
    })
}
