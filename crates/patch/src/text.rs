//! Insertions into texts.

use std::ops::Range;

/// Text that is inserted at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub at: usize,
    /// The range that it begins or ends, so that pieces at the same place nest.
    pub role: Role,
    pub text: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Ends the piece that began there, at this depth.
    Closes { start: usize, depth: u8 },
    /// Stands alone.
    Stands,
    /// Begins a range that ends there. Of two that end together, the one with the lower depth is outside.
    Opens { end: usize, depth: u8 },
}

impl Piece {
    pub(crate) fn stands(at: usize, text: impl Into<Vec<u8>>) -> Piece {
        Piece { at, role: Role::Stands, text: text.into() }
    }

    pub(crate) fn opens(range: &Range<usize>, depth: u8, text: impl Into<Vec<u8>>) -> Piece {
        let role = Role::Opens { end: range.end, depth };
        Piece { at: range.start, role, text: text.into() }
    }

    /// The piece that closes the one opened with the same range and depth, at its end or later.
    pub(crate) fn closes(
        at: usize,
        range: &Range<usize>,
        depth: u8,
        text: impl Into<Vec<u8>>,
    ) -> Piece {
        Piece { at, role: Role::Closes { start: range.start, depth }, text: text.into() }
    }

    /// Ends come first, inner ones before outer ones; then outer beginnings before inner ones.
    fn key(&self) -> (usize, u8, usize, u8) {
        match self.role {
            Role::Closes { start, depth } => (self.at, 0, usize::MAX - start, u8::MAX - depth),
            Role::Stands => (self.at, 1, 0, 0),
            Role::Opens { end, depth } => (self.at, 2, usize::MAX - end, depth),
        }
    }
}

/// The text with the pieces inserted.
pub(crate) fn with(text: &[u8], pieces: &[Piece]) -> Vec<u8> {
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    sorted.sort_by_key(|piece| piece.key());
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut done = 0;
    for piece in sorted {
        let at = piece.at.min(text.len());
        out.extend_from_slice(&text[done..at]);
        out.extend_from_slice(&piece.text);
        done = at;
    }
    out.extend_from_slice(&text[done..]);
    out
}

/// The start of the line of a position.
pub(crate) fn line_start(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

/// The start of the line after that of a position.
pub(crate) fn next_line(text: &[u8], at: usize) -> usize {
    let rest = text[at..].iter().position(|byte| *byte == b'\n');
    rest.map_or(text.len(), |end| at + end + 1)
}

/// The indentation of the line of a position.
pub(crate) fn indent(text: &[u8], at: usize) -> &[u8] {
    let start = line_start(text, at);
    let blanks = text[start..at].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[start..start + blanks]
}

/// Whether only spaces come before the position on its line.
pub(crate) fn begins_line(text: &[u8], at: usize) -> bool {
    indent(text, at).len() == at - line_start(text, at)
}

/// The line ending of this text.
pub(crate) fn line_end(text: &[u8]) -> &'static str {
    match text.iter().position(|byte| *byte == b'\n') {
        Some(at) if at > 0 && text[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_at_one_place_nest() {
        let (inner, outer) = (0..1, 0..3);
        let pieces = [
            Piece::closes(1, &inner, 0, ")"),
            Piece::closes(1, &inner, 1, "]"),
            Piece::closes(3, &outer, 0, "}"),
            Piece::stands(3, ";"),
            Piece::opens(&inner, 1, "["),
            Piece::opens(&inner, 0, "("),
            Piece::opens(&outer, 0, "{"),
            Piece::stands(0, "!"),
        ];
        assert_eq!(with(b"a+b", &pieces), b"!{([a])+b};");
    }
}
