//! The header: architecture and name, then a description and `Key=Value` lines, up to the brace
//! that opens the initial state.
//!
//! Other text between the name and the brace is skipped: old tests have a second name in
//! parentheses there. A description without a closing quote ends with its line.

use super::source::{Scanner, Source};
use crate::Arch;
use crate::ast::At;
use raddle_ir::{Diagnostic, Mnemonic};

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub arch: Arch,
    pub name: String,
    pub doc: Option<String>,
    pub metadata: Vec<(String, String)>,
    /// Positioned at the opening brace.
    pub body: Scanner<'a>,
}

/// Other architectures of the format, for a better message.
const OTHER_ARCHITECTURES: &[&str] =
    &["AArch64", "ASL", "BPF", "Bell", "C", "CPP", "JAVA", "LISA", "MIPS", "RISCV", "X86_64"];

pub(super) fn read<'a>(source: &Source<'a>) -> Result<Header<'a>, Diagnostic> {
    let mut scan = Scanner::new(source);
    scan.skip_blank()?;
    let arch = architecture(source.file, &mut scan)?;
    let name = name(source.file, &mut scan)?;
    let mut header = Header { arch, name, doc: None, metadata: Vec::new(), body: scan };
    loop {
        let scan = &mut header.body;
        scan.skip_blank()?;
        match scan.peek() {
            Some('{') => return Ok(header),
            Some('"') => {
                let doc = description(scan);
                header.doc.get_or_insert(doc);
            }
            Some(_) => header.metadata.extend(other_text(scan)),
            None => {
                return Err(scan
                    .here()
                    .error(source.file, "the test ends within its header")
                    .expected("the initial state, in braces")
                    .help("write `{ }` after the header if everything starts as 0"));
            }
        }
    }
}

fn architecture(file: &str, scan: &mut Scanner<'_>) -> Result<Arch, Diagnostic> {
    let start = scan.here();
    let word = scan.take_while(|c| !c.is_whitespace() && c != '{');
    let known = Arch::TABLE.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    known.map(|(_, arch)| *arch).ok_or_else(|| unknown_architecture(file, scan.since(start), word))
}

fn unknown_architecture(file: &str, at: At, word: &str) -> Diagnostic {
    let other = OTHER_ARCHITECTURES.iter().find(|name| name.eq_ignore_ascii_case(word));
    let error = match other {
        Some(name) => at.error(file, format!("litmus tests for {name} are not supported")),
        None if word.is_empty() => at.error(file, "there is no test here"),
        None => at.error(file, format!("`{}` is not an architecture", shorten(word))),
    };
    error
        .expected("X86, PPC or ARM, then the test's name")
        .help("a litmus test starts with a line such as `X86 SB`")
}

/// A word of the input, shortened for a message.
fn shorten(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &word[..cut]),
        None => word.to_owned(),
    }
}

fn name(file: &str, scan: &mut Scanner<'_>) -> Result<String, Diagnostic> {
    scan.take_while(|c| c == ' ' || c == '\t');
    let start = scan.here();
    let name = scan.take_while(|c| !c.is_whitespace() && c != '{');
    if name.is_empty() {
        return Err(start
            .error(file, "the test has no name")
            .expected("a name after the architecture"));
    }
    Ok(name.to_owned())
}

/// Takes a quoted description. It may span several lines, but never past the line that opens
/// the initial state: a quote that is still open there ends with its own line.
fn description(scan: &mut Scanner<'_>) -> String {
    scan.bump();
    let rest = scan.rest();
    let closed = rest.split_once('"').map(|(text, _)| text);
    if closed.is_some_and(|text| !text.contains("\n{")) {
        let text = scan.take_while(|c| c != '"').to_owned();
        scan.bump();
        text
    } else {
        scan.take_while(|c| c != '\n').trim_end().to_owned()
    }
}

/// Takes a `Key=Value` line, or skips any other text on the line.
fn other_text(scan: &mut Scanner<'_>) -> Option<(String, String)> {
    let mut line = scan.clone();
    let key = line.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    line.take_while(|c| c == ' ' || c == '\t');
    if key.starts_with(|c: char| c.is_ascii_alphabetic()) && line.bump_str("=") {
        let value = line.take_while(|c| c != '\n').trim();
        *scan = line;
        return Some((key.to_owned(), value.to_owned()));
    }
    // The first character is neither `{` nor `"`, so this always advances.
    scan.take_while(|c| !matches!(c, '\n' | '{' | '"'));
    None
}
