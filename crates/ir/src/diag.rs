//! Diagnostics: the error, its place, the expected input, and a hint.
//!
//! Every front end reports bad input with these. The command line decides how they are displayed.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// A byte range of the source text.
pub type Span = Range<usize>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// A path as messages show it. Bytes that are not UTF-8 are shown as `\xff`.
pub fn shown(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
    }
    shown
}

/// A range of a source text, with the line and column of its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// Byte offsets.
    pub start: u32,
    pub end: u32,
}

impl At {
    /// From the start of `self` to the end of `last`.
    #[must_use]
    pub fn to(self, last: At) -> At {
        At { end: last.end.max(self.end), ..self }
    }

    /// An error at this place.
    pub fn error(self, file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            line: self.line,
            column: self.column,
            span: Some(self.start as usize..self.end as usize),
            ..Diagnostic::whole_file(file, message)
        }
    }
}

/// One message about one place of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The file as the user named it.
    pub file: String,
    /// 1-based; 0 when the message is about the whole file.
    pub line: u32,
    pub column: u32,
    /// Byte range in the source, when it is known.
    pub span: Option<Span>,
    /// The problem that was found.
    pub message: String,
    /// The input that would have been correct, as a phrase: "a register name".
    pub expected: Option<String>,
    /// A hint how to solve the problem.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error about a byte range of `source`, which need not be UTF-8.
    pub fn at(
        file: &str,
        source: impl AsRef<[u8]>,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        let source = source.as_ref();
        let before = &source[..span.start.min(source.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        Diagnostic {
            line: before.iter().filter(|b| **b == b'\n').count() as u32 + 1,
            column: String::from_utf8_lossy(&before[line_start..]).chars().count() as u32 + 1,
            span: Some(span),
            ..Diagnostic::whole_file(file, message)
        }
    }

    /// An error about a file as a whole.
    pub fn whole_file(file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            file: file.to_owned(),
            line: 0,
            column: 0,
            span: None,
            message: message.into(),
            expected: None,
            help: None,
        }
    }

    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Diagnostic {
        self.expected = Some(expected.into());
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:", self.file)?;
        if self.line > 0 {
            write!(f, "{}:{}:", self.line, self.column)?;
        }
        write!(f, " {severity}: {}", self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
