//! Cases as JUnit's XML, which continuous integration shows as tests.
//!
//! A suite is a file, a test is a search of it under one model. The elements and attributes are those that the
//! schemas of Ant and Jenkins have in common.

use super::{Case, Outcome};
use crate::written;
use raddle_ir::text::is_hidden;
use std::fmt::{Result, Write};

/// The whole document. `started` is the time at which the command started, as `2000-01-01T00:00:00` in UTC.
pub fn document(cases: &[Case], started: &str) -> String {
    written(|out| write_suites(out, cases, started))
}

/// How many tests of a suite ended in which way.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Counts {
    fn of<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Counts {
        let mut counts = Counts::default();
        for case in cases {
            counts.tests += 1;
            counts.seconds += case.seconds;
            match case.outcome {
                Outcome::Passed => {}
                Outcome::Failed => counts.failures += 1,
                Outcome::Unknown | Outcome::Unread => counts.errors += 1,
                Outcome::Skipped => counts.skipped += 1,
            }
        }
        counts
    }

    fn attributes(&self) -> String {
        let Counts { tests, failures, errors, skipped, seconds } = self;
        // Ant's schema does not have it.
        let skipped = match skipped {
            0 => String::new(),
            skipped => format!(" skipped=\"{skipped}\""),
        };
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"{skipped} time=\"{seconds:.3}\""
        )
    }
}

fn write_suites(out: &mut String, cases: &[Case], started: &str) -> Result {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites>")?;
    // The cases of a file come one after the other.
    for (id, suite) in cases.chunk_by(|a, b| a.file == b.file).enumerate() {
        let name = escaped(&suite[0].file);
        let counts = Counts::of(suite).attributes();
        writeln!(
            out,
            "  <testsuite id=\"{id}\" name=\"{name}\" package=\"raddle\" hostname=\"localhost\" \
             timestamp=\"{started}\" {counts}>"
        )?;
        let version = env!("CARGO_PKG_VERSION");
        let property = format!("<property name=\"raddle\" value=\"{version}\"/>");
        writeln!(out, "    <properties>{property}</properties>")?;
        suite.iter().try_for_each(|case| write_case(out, case))?;
        writeln!(out, "    <system-out/>\n    <system-err/>\n  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn write_case(out: &mut String, case: &Case) -> Result {
    let test = case.test.as_deref().unwrap_or(case.command);
    let name = case.model.map_or(test.to_owned(), |model| format!("{test} under {model}"));
    let (name, class) = (escaped(&name), escaped(&case.file));
    let seconds = case.seconds;
    write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{seconds:.3}\"")?;
    let (tag, kind) = match case.outcome {
        Outcome::Passed => return writeln!(out, "/>"),
        Outcome::Skipped => {
            return writeln!(out, ">\n      <skipped/>\n    </testcase>");
        }
        Outcome::Failed => {
            let reported = case.findings.iter().filter(|finding| finding.accepted.is_none());
            ("failure", reported.map(|finding| finding.rule.id).next().unwrap_or("violation"))
        }
        Outcome::Unknown => ("error", "unknown"),
        Outcome::Unread => ("error", "input"),
    };
    let message = escaped(&message(case));
    writeln!(
        out,
        ">\n      <{tag} type=\"{kind}\" message=\"{message}\">{}</{tag}>\n    </testcase>",
        escaped(&case.text)
    )
}

/// What happened, in a line.
fn message(case: &Case) -> String {
    let reported = case.findings.iter().filter(|finding| finding.accepted.is_none());
    let told: Vec<String> = reported
        .map(|finding| match finding.place.line {
            Some(line) => format!("{}:{line}: {}", finding.place.file, finding.message),
            None => finding.message.clone(),
        })
        .collect();
    match told.is_empty() {
        true => case.text.lines().next().unwrap_or("").to_owned(),
        false => told.join("; "),
    }
}

/// Text for XML 1.0, in an element or an attribute. Control characters are escaped: XML forbids them even as
/// references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            '\t' => out.push('\t'),
            '\r' => out.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if is_hidden(c) => out.push_str(&c.escape_default().to_string()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_escaped() {
        assert_eq!(
            escaped("a<b & \"c\"\u{1b}[0m\u{0}\r\n\u{ffff}"),
            "a&lt;b &amp; &quot;c&quot;\\u{1b}[0m\\u{0}&#13;\n\u{fffd}"
        );
    }

    #[test]
    fn suites_add_up() {
        let cases = [
            Case::unread("a \"b\".c", "check", "no such file".to_owned()),
            Case::skipped("c.c", "check"),
        ];
        let text = document(&cases, "2000-01-01T00:00:00");
        assert!(text.contains("tests=\"1\" failures=\"0\" errors=\"1\" time="), "{text}");
        assert!(text.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{text}");
        assert!(
            text.contains("<error type=\"input\" message=\"no such file\">no such file</error>"),
            "{text}"
        );
        assert_eq!(text.matches("<testsuite ").count(), 2);
        assert!(text.contains("classname=\"a &quot;b&quot;.c\""), "{text}");
    }
}
