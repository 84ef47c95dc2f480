//! Colours, as the escape sequences that terminals have in common.

/// What a piece of text is, not how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    Plain,
    Heading,
    /// What went wrong.
    Bad,
    Good,
    /// A store that memory does not know of yet.
    Buffered,
    /// A store that reaches memory.
    Update,
    /// Beside the point.
    Faint,
    /// What made the difference.
    Reason,
}

impl Ink {
    const fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Heading => "1",
            Ink::Bad => "1;31",
            Ink::Good => "1;32",
            Ink::Buffered => "33",
            Ink::Update => "36",
            Ink::Faint => "2",
            Ink::Reason => "1;33",
        }
    }
}

pub(crate) fn paint(colour: bool, ink: Ink, text: &str) -> String {
    if !colour || ink == Ink::Plain || text.is_empty() {
        return text.to_owned();
    }
    format!("\x1b[{}m{text}\x1b[0m", ink.code())
}
