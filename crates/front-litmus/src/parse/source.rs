//! The text of a file, and a scanner that tracks lines and columns.

use crate::ast::At;
use raddle_ir::Diagnostic;
use raddle_ir::file::{MAX_BYTES, NotText, decoded};

/// A decoded file.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Rejects files that are too long, binary, or not UTF-8. The scanner skips a byte order mark
    /// as white space.
    pub(super) fn decode(file: &'a str, bytes: &'a [u8]) -> Result<Source<'a>, Diagnostic> {
        if bytes.len() > MAX_BYTES {
            let message = format!("the file has {} bytes", bytes.len());
            return Err(Diagnostic::whole_file(file, message)
                .expected(format!("a litmus test of at most {} MiB", MAX_BYTES >> 20)));
        }
        let text = decoded(bytes).map_err(|NotText { at, .. }| {
            Diagnostic::at(file, bytes, at..at + 1, "this is not text")
                .expected("a litmus test in UTF-8")
                .help("if it is a binary, give its litmus source; if it is in another encoding, convert it")
        })?;
        Ok(Source { file, text })
    }
}

/// Walks the text one character at a time.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    file: &'a str,
    text: &'a str,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: &Source<'a>) -> Scanner<'a> {
        Scanner { file: source.file, text: source.text, offset: 0, line: 1, column: 1 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.offset += c.len_utf8();
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    pub(super) fn bump_str(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            for _ in expected.chars() {
                self.bump();
            }
        }
        found
    }

    /// Takes characters as long as `wanted` accepts them.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.offset;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        &self.text[start..self.offset]
    }

    /// The empty range at the current position.
    pub(super) fn here(&self) -> At {
        let offset = self.offset as u32;
        At { line: self.line, column: self.column, start: offset, end: offset }
    }

    /// The range from a position to the current one.
    pub(super) fn since(&self, start: At) -> At {
        start.to(self.here())
    }

    /// Skips white space and comments: `(* ... *)`, which nest, and `//` to the end of the line.
    pub(super) fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("(*") {
                self.skip_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Diagnostic> {
        let start = self.here();
        let mut depth = 0usize;
        loop {
            if self.bump_str("(*") {
                depth += 1;
            } else if self.bump_str("*)") {
                depth -= 1;
                if depth == 0 {
                    return Ok(());
                }
            } else if self.bump().is_none() {
                let end = At { end: start.start + 2, ..start };
                return Err(end
                    .error(self.file, "this comment does not end")
                    .expected("`*)`")
                    .help("comments nest: every `(*` needs its own `*)`"));
            }
        }
    }
}
