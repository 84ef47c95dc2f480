//! The reason why a text is rejected, before it becomes a diagnostic.

use raddle_ir::Diagnostic;
use std::ops::Range;

/// An error in the text. It is boxed to keep results on the parser's hot paths small.
#[derive(Debug)]
pub(crate) struct Fault {
    pub span: Range<usize>,
    pub message: String,
    pub expected: Option<String>,
}

pub(crate) type Parse<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { span, message: message.into(), expected: None })
    }

    pub(crate) fn expected(mut self: Box<Fault>, what: impl Into<String>) -> Box<Fault> {
        self.expected = Some(what.into());
        self
    }

    /// The diagnostic for a text that need not be UTF-8.
    pub(crate) fn into_diagnostic(self, file: &str, text: &[u8]) -> Diagnostic {
        let expected = self.expected;
        Diagnostic { expected, ..Diagnostic::at(file, text, self.span, self.message) }
    }
}
