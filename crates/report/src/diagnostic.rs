//! Diagnostics with an excerpt of the source, as compilers show them.
//!
//! A message about a whole file, or about a file that cannot be shown on a terminal (binary, or with very
//! long lines), is one line: `file:line:column: error: …`. Control characters never reach the terminal.

use crate::printable;
use codespan_reporting::diagnostic as codespan;
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{self, Config, Styles, StylesWriter};
use raddle_ir::text::is_hidden;
use raddle_ir::{Diagnostic, Severity, Span};

/// Longer lines are not shown.
const MAX_LINE: usize = 240;

/// Renders a diagnostic about a file with the given contents, line end included.
pub fn render(diagnostic: &Diagnostic, source: &[u8], colour: bool) -> String {
    let snippet = showable(diagnostic, source).and_then(|(text, span)| {
        let mut buffer = if colour { Buffer::ansi() } else { Buffer::no_color() };
        emit(diagnostic, text, span, &mut buffer).ok()?;
        String::from_utf8(buffer.into_inner()).ok()
    });
    snippet.unwrap_or_else(|| format!("{}\n", printable(&diagnostic.to_string())))
}

/// The source and the span to mark in it, if they can be shown.
fn showable<'a>(diagnostic: &Diagnostic, source: &'a [u8]) -> Option<(&'a str, Span)> {
    let text = std::str::from_utf8(source).ok()?;
    let span = diagnostic.span.clone()?;
    let start = span.start.min(text.len());
    let end = span.end.clamp(start, text.len());
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |i| i + 1);
    let line_end = text.get(end..)?.find('\n').map_or(text.len(), |i| end + i);
    let lines = &text[line_start..line_end];
    let plain = lines.chars().all(|c| c == '\n' || c == '\t' || c == '\r' || !is_hidden(c));
    (plain && lines.len() <= MAX_LINE).then_some((text, start..end))
}

fn emit(
    diagnostic: &Diagnostic,
    text: &str,
    span: Span,
    buffer: &mut Buffer,
) -> Result<(), codespan_reporting::files::Error> {
    let severity = match diagnostic.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
    };
    let mut label = codespan::Label::primary((), span);
    if let Some(expected) = &diagnostic.expected {
        label = label.with_message(format!("expected {}", printable(expected)));
    }
    let mut shown = codespan::Diagnostic::new(severity)
        .with_message(printable(&diagnostic.message))
        .with_label(label);
    if let Some(help) = &diagnostic.help {
        shown = shown.with_note(printable(help));
    }
    let file = SimpleFile::new(printable(&diagnostic.file), text);
    let styles = Styles::default();
    let mut writer = StylesWriter::new(buffer, &styles);
    term::emit_to_write_style(&mut writer, &Config::default(), &file, &shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "X86 SB\n{ }\n P0 ;\n MOVE ;\n";

    fn diagnostic() -> Diagnostic {
        Diagnostic::at("SB.litmus", SOURCE, 18..22, "unknown instruction 'MOVE'")
            .expected("MOV")
            .help("see the README")
    }

    #[test]
    fn shows_the_line_and_what_was_expected() {
        let shown = render(&diagnostic(), SOURCE.as_bytes(), false);
        for part in ["error: unknown", "SB.litmus:4:2", " MOVE ;", "expected MOV", "see the README"]
        {
            assert!(shown.contains(part), "{part} is not in:\n{shown}");
        }
        assert!(!shown.contains('\x1b'));
    }

    #[test]
    fn colours_only_when_asked() {
        assert!(render(&diagnostic(), SOURCE.as_bytes(), true).contains('\x1b'));
    }

    #[test]
    fn whole_files_take_one_line() {
        let shown = render(&Diagnostic::whole_file("a\x1b.rir", "is empty"), b"", false);
        assert_eq!(shown, "a\\u{1b}.rir: error: is empty\n");
    }

    #[test]
    fn binary_and_endless_lines_are_not_shown() {
        for source in [vec![0xff; 30], vec![0x1b; 30], vec![b'a'; 1000]] {
            let text = String::from_utf8_lossy(&source).into_owned();
            let shown = render(&Diagnostic::at("f", &text, 0..1, "bad"), &source, false);
            assert_eq!(shown, "f:1:1: error: bad\n");
        }
    }

    #[test]
    fn a_span_beyond_the_end_or_inside_a_character_is_harmless() {
        let beyond = Diagnostic::at("f", "ab\n", 10..20, "bad");
        assert!(render(&beyond, b"ab\n", false).contains("bad"));
        let inside = Diagnostic { span: Some(1..2), ..Diagnostic::whole_file("f", "bad") };
        assert!(render(&inside, "é".as_bytes(), false).contains("bad"));
    }
}
