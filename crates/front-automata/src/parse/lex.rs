//! Words between white space. A word that starts with `#` starts a comment to the end of its line.

use crate::ast::At;
use raddle_ir::Diagnostic;
use raddle_ir::file::{MAX_BYTES, NotText, decoded};

#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub at: At,
}

/// Rejects files that are too long, binary, or not UTF-8.
pub(super) fn words<'a>(file: &str, bytes: &'a [u8]) -> Result<Vec<Word<'a>>, Diagnostic> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes", bytes.len());
        let limit = format!("at most {} MiB", MAX_BYTES >> 20);
        return Err(Diagnostic::whole_file(file, message).expected(limit));
    }
    let text = decoded(bytes).map_err(|NotText { at, .. }| {
        Diagnostic::at(file, bytes, at..at + 1, "this is not text").expected("automata in UTF-8")
    })?;
    Ok(split(text))
}

fn split(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut offset = 0;
    for (number, line) in text.split('\n').enumerate() {
        split_line(line, number as u32 + 1, offset, &mut words);
        offset += line.len() as u32 + 1;
    }
    words
}

fn split_line<'a>(line: &'a str, number: u32, offset: u32, words: &mut Vec<Word<'a>>) {
    let mut column = 1;
    let mut at = 0;
    for piece in line.split(is_blank) {
        if piece.starts_with('#') {
            return;
        }
        let length = piece.chars().count() as u32;
        if !piece.is_empty() {
            let start = offset + at as u32;
            let end = start + piece.len() as u32;
            words.push(Word { text: piece, at: At { line: number, column, start, end } });
        }
        at += piece.len();
        at += line[at..].chars().next().map_or(0, char::len_utf8);
        column += length + 1;
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_are() {
        let words = words("t", "a  é b # c\n\tdd\r\n#e f".as_bytes()).expect("text");
        let found: Vec<_> =
            words.iter().map(|w| (w.text, w.at.line, w.at.column, w.at.start)).collect();
        assert_eq!(found, [("a", 1, 1, 0), ("é", 1, 4, 3), ("b", 1, 6, 6), ("dd", 2, 2, 13)]);
    }
}
