//! Colours, as escape sequences that all common terminals understand.

/// The role of a piece of text, not its appearance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    Plain,
    Heading,
    /// A failure.
    Bad,
    Good,
    /// A store that is still in a buffer.
    Buffered,
    /// A store that reaches memory.
    Update,
    /// A detail of little importance.
    Faint,
    /// The cause.
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
