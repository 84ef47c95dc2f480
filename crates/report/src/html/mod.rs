//! Results as one HTML page that needs nothing else: no network, no other file.
//!
//! | module | subject |
//! |---|---|
//! | [`answer`] | the answers of `check`, `robust` and `reach` |
//! | [`fence`] | the answer of `fence`, with the patch |
//! | [`story`] | a witness in columns, for stepping through it |
//! | [`listing`] | the lines of the source that the page has |
//! | [`sha256`] | the hashes with which the page says which script and style are its own |
//!
//! The page is a frame (`page.html`), a style (`style.css`), a script (the `.js` files, one after the other) and the
//! data as JSON. The data is text from programs and file names, which may be anything. It cannot leave its element,
//! because every `<`, `>` and `&` in it is written as an escape of JSON; the script inserts it as text, never as
//! markup. The content security policy of the page allows this script and this style and nothing else: no request,
//! no other script.

mod answer;
mod fence;
mod listing;
mod sha256;
mod story;

pub use answer::{check, reach, robust};
pub use fence::fences;
pub(crate) use fence::why;

use crate::picture::Picture;
use crate::printable;
use crate::source::Sources;
use listing::{Lines, Listing};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};
use story::StoryData;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("dom.js"),
    include_str!("state.js"),
    include_str!("rows.js"),
    include_str!("timeline.js"),
    include_str!("source.js"),
    include_str!("panels.js"),
    include_str!("graph.js"),
    include_str!("player.js"),
    include_str!("page.js"),
    "})();\n"
);

/// The answers of a command, to be written as one page or as graphs.
#[derive(Debug, Default)]
pub struct Page {
    /// The words of the command line.
    command: Vec<String>,
    answers: Vec<Answer>,
}

/// The answer for one program and one model.
#[derive(Serialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The file as the user named it.
    file: String,
    model: String,
    verdict: String,
    /// How to take the verdict: `good`, `bad` or `unsure`.
    tone: &'static str,
    notes: Vec<String>,
    findings: Vec<TitledWitness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fences: Option<fence::Fencing>,
    /// A command that goes on from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    #[serde(skip)]
    lines: Lines,
    #[serde(skip)]
    dots: Vec<String>,
}

/// A command that answers the next question.
#[derive(Serialize, Debug)]
struct Next {
    why: &'static str,
    command: String,
}

/// An error, a goal or a cycle, with its witness.
#[derive(Serialize, Debug)]
struct TitledWitness {
    title: String,
    /// The reason in words, one paragraph each.
    why: Vec<String>,
    story: StoryData,
    /// `None` if the witness is too long for its relations.
    picture: Option<Picture>,
}

/// The data of the page.
#[derive(Serialize)]
struct Data<'a> {
    version: &'static str,
    command: &'a [String],
    kinds: &'static [&'static str],
    sources: Vec<Listing>,
    answers: &'a [Answer],
}

impl Answer {
    /// Adds the command that finds the fences which would help.
    pub fn suggest_fences(&mut self, command: String) {
        let why = "Which fences would rule this out?";
        self.next = Some(Next { why, command });
    }
}

impl Page {
    /// An empty page; `command` has the words of the command line.
    pub fn new(command: Vec<String>) -> Page {
        Page { command, answers: Vec::new() }
    }

    pub fn add(&mut self, answer: Answer) {
        self.answers.push(answer);
    }

    /// Writes the whole page.
    pub fn write(&self, mut out: impl Write, sources: &Sources) -> io::Result<()> {
        let mut lines = Lines::default();
        self.answers.iter().for_each(|answer| lines.add(&answer.lines));
        let data = Data {
            version: env!("CARGO_PKG_VERSION"),
            command: &self.command,
            kinds: &story::KINDS,
            sources: lines.listings(sources),
            answers: &self.answers,
        };
        let title = self.answers.first().map_or("raddle", |answer| &answer.file);
        let mut rest = FRAME;
        for (mark, part) in [
            ("{{policy}}", Piece::Text(policy())),
            ("{{title}}", Piece::Text(escaped(title))),
            ("{{style}}", Piece::Text(STYLE.to_owned())),
            ("{{data}}", Piece::Data),
            ("{{script}}", Piece::Text(SCRIPT.to_owned())),
        ] {
            let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
            out.write_all(before.as_bytes())?;
            match part {
                Piece::Text(text) => out.write_all(text.as_bytes())?,
                Piece::Data => serde_json::to_writer(Harmless(&mut out), &data)?,
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }

    /// Writes the graphs of all witnesses as Graphviz text, one after the other.
    pub fn write_dot(&self, mut out: impl Write) -> io::Result<()> {
        let dots = self.answers.iter().flat_map(|answer| &answer.dots);
        let mut count = 0;
        for dot in dots {
            out.write_all(dot.as_bytes())?;
            count += 1;
        }
        match count {
            0 => out.write_all(b"// no witness was found, so there is no graph\ndigraph {}\n"),
            _ => Ok(()),
        }
    }
}

/// What replaces a mark of the frame.
enum Piece {
    Text(String),
    Data,
}

/// Only the script and the style of the page; no request of any kind.
fn policy() -> String {
    let (style, script) = (sha256::base64(STYLE.as_bytes()), sha256::base64(SCRIPT.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; \
         form-action 'none'"
    )
}

/// Text as the content of an element.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '<' | '>' | '&' | '"' | '\'' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// Writes JSON such that no HTML parser sees markup in it. The characters occur in strings only, where an escape
/// means the same.
struct Harmless<W>(W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'&')) {
            self.0.write_all(&rest[..at])?;
            write!(self.0, "\\u{:04x}", rest[at])?;
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(answer: Answer) -> String {
        let mut page = Page::new(vec!["raddle".to_owned(), "check".to_owned()]);
        page.add(answer);
        let mut out = Vec::new();
        page.write(&mut out, &Sources::none()).expect("it is written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn no_text_leaves_its_place() {
        let name = "</script><!--<script>alert(1)</script>&\"'\u{1}.c";
        let answer = Answer { file: name.to_owned(), tone: "good", ..Answer::default() };
        let text = page(answer);
        assert_eq!(text.matches("</script>").count(), 2, "the data and the script end once each");
        assert!(!text.contains("<!--<script>") && !text.contains("alert(1)<"));
        let data = text.split_once("type=\"application/json\">").expect("the data").1;
        let data = data.split_once("</script>").expect("its end").0;
        let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(data["answers"][0]["file"], name);
    }

    #[test]
    fn the_frame_has_every_mark_once_and_nothing_from_elsewhere() {
        for mark in ["{{policy}}", "{{title}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(FRAME.matches(mark).count(), 1, "{mark}");
        }
        let text = page(Answer { tone: "good", ..Answer::default() });
        assert!(!text.contains("{{") && !text.contains("src=") && !text.contains("@import"));
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
    }
}
