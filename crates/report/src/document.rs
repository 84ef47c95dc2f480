//! Witness files: `--witness` writes them and `raddle replay` reads them. docs/witness.md has the format.
//!
//! A file must be enough to run a schedule again and to see whether it ends in the same error. So it has the
//! sources and arguments of the program, a fingerprint of it, and for each error the model, the schedule and
//! the place. The rest (the events, the cause) is for readers.

use crate::{Run, json};
use raddle_analysis::Violation;
use raddle_analysis::reach::Reached;
use raddle_analysis::witness::{Expected, ExpectedEnd};
use raddle_engine::{Checks, Engine, Options, Step};
use raddle_ir::{Diagnostic, Program};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

const FORMAT: &str = "raddle-witness";
const VERSION: u32 = 2;

/// The origin of a program: its files, and the arguments that affect how they are compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    pub inputs: Vec<OsString>,
    pub arguments: Vec<OsString>,
}

/// A word of a command line: a string, or its bytes if they are not UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Bytes { bytes: Vec<u8> },
}

impl From<&OsString> for Word {
    fn from(word: &OsString) -> Word {
        match word.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes { bytes: word.as_bytes().to_vec() },
        }
    }
}

impl From<Word> for OsString {
    fn from(word: Word) -> OsString {
        match word {
            Word::Text(text) => text.into(),
            Word::Bytes { bytes } => OsString::from_vec(bytes),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    raddle: &'static str,
    inputs: Vec<Word>,
    arguments: Vec<Word>,
    program: String,
    /// The optional checks that were enabled.
    checks: Vec<&'static str>,
    witnesses: Vec<Entry<'a>>,
}

/// One error, ready to be written.
#[derive(Serialize, Debug)]
pub struct Entry<'a> {
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer_bound: Option<u32>,
    /// The engine whose steps the schedule consists of.
    engine: &'static str,
    #[serde(flatten)]
    error: json::Error<'a>,
}

/// The entry of a violation.
pub fn entry<'a>(run: &Run<'a>, violation: &'a Violation) -> Entry<'a> {
    entry_of(run, json::violation(run, violation))
}

/// The entry of a goal or failure that was reached.
pub fn reached<'a>(run: &Run<'a>, reached: &'a Reached) -> Entry<'a> {
    entry_of(run, json::reached(run, reached))
}

fn entry_of<'a>(run: &Run<'a>, error: json::Error<'a>) -> Entry<'a> {
    Entry {
        model: run.options.model.name(),
        engine: run.options.strategy.engine().name(),
        buffer_bound: run.options.buffer_bound,
        error,
    }
}

/// The word for [`Checks::races`].
pub const RACES: &str = "races";

/// Writes the whole file.
pub fn write(
    mut out: impl Write,
    program: &Program,
    origin: &Origin,
    checks: Checks,
    witnesses: Vec<Entry<'_>>,
) -> io::Result<()> {
    let document = Document {
        format: FORMAT,
        version: VERSION,
        raddle: env!("CARGO_PKG_VERSION"),
        inputs: origin.inputs.iter().map(Word::from).collect(),
        arguments: origin.arguments.iter().map(Word::from).collect(),
        program: fingerprint(program),
        checks: checks.races.then_some(RACES).into_iter().collect(),
        witnesses,
    };
    serde_json::to_writer_pretty(&mut out, &document)?;
    out.write_all(b"\n")
}

/// A hash of the program's text: FNV-1a of 128 bits. It protects against accidents, not against attacks.
pub fn fingerprint(program: &Program) -> String {
    format!("fnv1a128:{:032x}", fnv1a(raddle_ir::text::print(program).bytes()))
}

pub(crate) fn fnv1a(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// A witness file, read.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub origin: Origin,
    /// The program's fingerprint.
    pub program: String,
    pub checks: Checks,
    pub witnesses: Vec<RecordedWitness>,
}

#[derive(Clone, Debug)]
pub struct RecordedWitness {
    pub options: Options,
    pub schedule: Vec<Step>,
    pub expected: Expected,
}

/// The fields that are read first: in a file of another version, all others may differ.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Body {
    inputs: Vec<Word>,
    #[serde(default)]
    arguments: Vec<Word>,
    program: String,
    #[serde(default)]
    checks: Vec<String>,
    witnesses: Vec<BodyEntry>,
}

#[derive(Deserialize)]
struct BodyEntry {
    model: String,
    buffer_bound: Option<u32>,
    #[serde(default)]
    engine: Option<String>,
    kind: String,
    thread: Option<String>,
    file: String,
    line: Option<u32>,
    against: Option<json::SourceLine>,
    count: u64,
    schedule: Vec<Step>,
}

/// Reads a witness file.
pub fn read(file: &str, bytes: &[u8]) -> Result<Recorded, Diagnostic> {
    let header: Header = parsed(file, bytes)?;
    let wrong = |message: String| Diagnostic::whole_file(file, message);
    if header.format != FORMAT {
        return Err(wrong(format!("the format '{}' is not that of a witness", header.format))
            .expected(format!("a file written by --witness, of format '{FORMAT}'")));
    }
    if header.version != VERSION {
        return Err(wrong(format!("a witness of version {} cannot be read", header.version))
            .expected(format!("version {VERSION}"))
            .help("run `raddle check` again with --witness to write the file anew"));
    }
    let Body { inputs, arguments, program, checks, witnesses } = parsed(file, bytes)?;
    let checks = known(file, &checks)?;
    let witnesses = witnesses.into_iter().map(|entry| entry.checked(file, checks));
    let witnesses = witnesses.collect::<Result<_, _>>()?;
    let words = |words: Vec<Word>| words.into_iter().map(OsString::from).collect();
    let origin = Origin { inputs: words(inputs), arguments: words(arguments) };
    Ok(Recorded { origin, program, checks, witnesses })
}

/// Parses the names of the enabled checks.
fn known(file: &str, words: &[String]) -> Result<Checks, Diagnostic> {
    let mut checks = Checks::default();
    for word in words {
        match word.as_str() {
            RACES => checks.races = true,
            _ => {
                let message = format!("the check '{word}' is not known");
                return Err(Diagnostic::whole_file(file, message).expected(format!("'{RACES}'")));
            }
        }
    }
    Ok(checks)
}

fn parsed<'b, T: Deserialize<'b>>(file: &str, bytes: &'b [u8]) -> Result<T, Diagnostic> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The words of the library name types of raddle.
        let why = match error.classify() {
            Category::Io | Category::Syntax => "it is not JSON from here on",
            Category::Eof => "it ends too early",
            Category::Data => "this value does not fit its place, or one is missing",
        };
        let mut diagnostic = Diagnostic::whole_file(file, format!("not a witness: {why}"))
            .expected("a file written by --witness, as docs/witness.md describes it");
        diagnostic.line = u32::try_from(error.line()).unwrap_or_default();
        diagnostic.column = u32::try_from(error.column()).unwrap_or_default();
        diagnostic
    })
}

fn named_engine(name: &str) -> Result<Engine, String> {
    let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
    found.ok_or_else(|| {
        let names: Vec<String> = Engine::ALL.iter().map(|e| format!("'{}'", e.name())).collect();
        format!("the engine '{name}' is not known; expected one of {}", names.join(", "))
    })
}

impl BodyEntry {
    /// The options to run the schedule with.
    fn options(&self, checks: Checks) -> Result<Options, String> {
        let engine = match self.engine.as_deref() {
            None => Engine::Interleave,
            Some(name) => named_engine(name)?,
        };
        let options = Options::new(self.model.parse()?).by(engine.strategy());
        let checks = Checks { races: checks.races && engine.finds_races(), ..checks };
        let buffer_bound = self.buffer_bound.filter(|_| options.has_buffers());
        let options = Options { checks, buffer_bound, ..options };
        match engine.lacks(options.model) {
            Some(fault) => Err(fault.message),
            None => Ok(options),
        }
    }

    fn checked(self, file: &str, checks: Checks) -> Result<RecordedWitness, Diagnostic> {
        let options =
            self.options(checks).map_err(|message| Diagnostic::whole_file(file, message))?;
        let kind = ExpectedEnd::named(&self.kind).ok_or_else(|| {
            Diagnostic::whole_file(file, format!("the kind '{}' is not known", self.kind))
                .expected("'condition', 'goal' or a kind of failure")
        })?;
        Ok(RecordedWitness {
            options,
            schedule: self.schedule,
            expected: Expected {
                kind,
                thread: self.thread,
                place: self.line.map(|line| (self.file, line)),
                against: self.against.and_then(|at| Some((at.file, at.line?))),
                count: self.count,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::{ProgramBuilder, Type};
    use serde_json::json;

    fn read_text(text: &str) -> Result<Recorded, Diagnostic> {
        read("w.json", text.as_bytes())
    }

    #[test]
    fn fingerprints_tell_programs_apart() {
        let program = |name: &str| {
            let mut builder = ProgramBuilder::new("p");
            builder.scalar(name, Type::I32, 0);
            builder.finish()
        };
        assert_eq!(fingerprint(&program("x")), fingerprint(&program("x")));
        assert_ne!(fingerprint(&program("x")), fingerprint(&program("y")));
    }

    #[test]
    fn what_is_written_reads_back() {
        let bytes = OsString::from_vec(b"-Dx=\xff".to_vec());
        let origin = Origin { inputs: vec!["a.c".into()], arguments: vec!["--".into(), bytes] };
        let checks = Checks { races: true, ..Checks::default() };
        let mut text = Vec::new();
        write(&mut text, &Program::default(), &origin, checks, Vec::new()).expect("written");
        let recorded = read("w.json", &text).expect("it is a witness");
        assert_eq!((&recorded.origin, recorded.checks), (&origin, checks));
        assert_eq!(recorded.program, fingerprint(&Program::default()));
    }

    #[test]
    fn steps_read_back_and_nothing_is_assumed() {
        for step in [
            json!({ "run": 0 }),
            json!({ "choose": { "thread": 1, "choice": u64::MAX } }),
            json!({ "signal": { "thread": 1, "woken": 2 } }),
            json!({ "signal": { "thread": 1, "woken": null } }),
            json!({ "update": { "thread": 0, "store": 3 } }),
            json!({ "commit-load": { "event": { "thread": 0, "index": 1 }, "from": null } }),
            json!({ "commit-store": {
                "event": { "thread": 0, "index": 1 }, "after": { "thread": 1, "index": 0 } } }),
        ] {
            let read: Step = serde_json::from_value(step.clone()).expect("a step");
            assert_eq!(serde_json::to_value(read).expect("it is written"), step);
        }
        for step in [
            json!({}),
            json!({ "run": -1 }),
            json!({ "run": u64::MAX }),
            json!({ "run": 0, "update": { "thread": 0, "store": 3 } }),
            json!({ "thread": 0, "update": null, "choice": 0 }),
            json!({ "signal": { "thread": 1 } }),
            json!({ "commit-load": { "event": { "thread": 0, "index": 1 } } }),
            json!({ "commit-store": { "event": 3, "after": null } }),
        ] {
            assert!(serde_json::from_value::<Step>(step.clone()).is_err(), "{step}");
        }
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        for (text, reason) in [
            ("", "not a witness"),
            ("[]", "not a witness"),
            ("{\"format\": 3}", "not a witness"),
            ("{\"format\": \"sarif\", \"version\": 1}", "'sarif'"),
            ("{\"format\": \"raddle-witness\", \"version\": 1}", "version 1"),
            ("{\"format\": \"raddle-witness\", \"version\": 9}", "version 9"),
            ("{\"format\": \"raddle-witness\", \"version\": 2}", "one is missing"),
            ("{\"format\": \"raddle-witness\", \"version\": -1}", "not a witness"),
        ] {
            let refused = read_text(text).expect_err(text);
            assert!(refused.message.contains(reason), "{text}: {refused:?}");
        }
        assert!(read_text(&"[".repeat(100_000)).is_err());
    }
}
