//! Files with what is left of a search: `--checkpoint`, `--frontier` and `raddle slice` write them, `--resume` and
//! `raddle slice` read them. docs/checkpoint.md says how they are used.
//!
//! A file has all that is needed to go on with the search anywhere: the program as the engines have it, the options, and the
//! frontier in the form of its engine, both compressed. It begins with a word and the number of the format, and ends with a checksum. Only
//! the same version of raddle reads it: the frontier depends on the order in which an engine searches.

use crate::document::{fingerprint, fnv1a};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use raddle_engine::{FrontierState, Options};
use raddle_ir::{Diagnostic, Program, Verified, verify};
use serde::{Deserialize, Serialize};

const MAGIC: &[u8] = b"raddle frontier\n";
const VERSION: u32 = 1;
const CHECKSUM: usize = 16;
/// Fast, and nearly as small as with more effort.
const EFFORT: u8 = 3;
/// A larger file than this when it is not compressed is not one of ours.
const LARGEST: usize = 1 << 34;

/// What is left of a search, with all that is needed to go on.
#[derive(Clone, Debug)]
pub struct Frontier {
    /// The files of the program as the user named them.
    pub file: String,
    pub program: Verified,
    /// Without limits on time, memory and executions.
    pub options: Options,
    pub state: FrontierState,
    /// In the form of the engine; empty for a search that has not begun.
    pub left: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    raddle: String,
    file: String,
    program: String,
    options: Options,
    state: u8,
}

const STATES: [FrontierState; 3] =
    [FrontierState::Done, FrontierState::Open, FrontierState::Waiting];

/// The parts of files that are the same for all frontiers of a search.
#[derive(Clone, Debug)]
pub struct Frontiers {
    file: String,
    fingerprint: String,
    program: Vec<u8>,
    options: Options,
}

impl Frontiers {
    /// The frontiers of a search of this program.
    pub fn new(file: &str, program: &Program, options: &Options) -> Frontiers {
        let written = postcard::to_stdvec(program).unwrap_or_default();
        let mut options = options.clone();
        options.limits.executions = None;
        Frontiers {
            file: file.to_owned(),
            fingerprint: fingerprint(program),
            program: compress_to_vec(&written, EFFORT),
            options,
        }
    }

    /// A file with what is left.
    pub fn file(&self, state: FrontierState, left: &[u8]) -> Vec<u8> {
        let number = STATES.iter().position(|other| *other == state).unwrap_or(0);
        let header = Header {
            raddle: raddle().to_owned(),
            file: self.file.clone(),
            program: self.fingerprint.clone(),
            options: self.options.clone(),
            state: number as u8,
        };
        let header = postcard::to_stdvec(&header).unwrap_or_default();
        let left = compress_to_vec(left, EFFORT);
        let mut file = [MAGIC, &VERSION.to_le_bytes()].concat();
        for section in [&header, &self.program, &left] {
            file.extend((section.len() as u64).to_le_bytes());
            file.extend(section);
        }
        let checksum = fnv1a(file.iter().copied()).to_le_bytes();
        file.extend(checksum);
        file
    }
}

/// The version that reads and writes a file.
fn raddle() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Whether a file seems to be of this kind.
pub fn is_frontier(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a file. `name` is for messages.
pub fn read(name: &str, bytes: &[u8]) -> Result<Frontier, Diagnostic> {
    let refused = |message: String| Diagnostic::whole_file(name, message);
    let damaged = |what: &str| refused(format!("the file is damaged: {what}"));
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(refused("this file is not a frontier of a search".to_owned())
            .expected("a file that --checkpoint, --frontier or raddle slice has written"));
    };
    let version = rest.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    if version != Some(VERSION) {
        let other = version.map_or("no format".to_owned(), |number| format!("format {number}"));
        return Err(refused(format!(
            "the frontier has {other}, and this raddle reads format {VERSION}"
        ))
        .expected("a frontier of the same version of raddle"));
    }
    let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
        return Err(damaged("it ends early"));
    };
    if fnv1a(content.iter().copied()).to_le_bytes() != *checksum {
        return Err(damaged("its checksum is wrong"));
    }
    let mut content = &content[MAGIC.len() + 4..];
    let mut section = || -> Option<&[u8]> {
        let (len, rest) = content.split_first_chunk::<8>()?;
        let (section, rest) =
            rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        content = rest;
        Some(section)
    };
    let (Some(header), Some(program), Some(left)) = (section(), section(), section()) else {
        return Err(damaged("it ends early"));
    };
    // The version comes first, so that it can be read whatever follows.
    let (raddle_of, _) = postcard::take_from_bytes::<String>(header)
        .map_err(|error| damaged(&format!("its header: {error}")))?;
    if raddle_of != raddle() {
        let message = format!("the frontier is of raddle {raddle_of}, and this is {}", raddle());
        return Err(refused(message).expected("a frontier of the same version of raddle"));
    }
    let header: Header =
        postcard::from_bytes(header).map_err(|error| damaged(&format!("its header: {error}")))?;
    let inflated = |section: &[u8]| {
        decompress_to_vec_with_limit(section, LARGEST)
            .map_err(|error| damaged(&format!("it cannot be decompressed: {error}")))
    };
    let program: Program = postcard::from_bytes(&inflated(program)?)
        .map_err(|error| damaged(&format!("its program: {error}")))?;
    let program = verify(program).map_err(|_| damaged("its program is not well-formed"))?;
    if fingerprint(&program) != header.program {
        return Err(damaged("its program is another one"));
    }
    let state = STATES.get(usize::from(header.state)).copied();
    let state = state.ok_or_else(|| damaged("its state is unknown"))?;
    let Header { file, options, .. } = header;
    Ok(Frontier { file, program, options, state, left: inflated(left)? })
}

impl Frontier {
    /// The difference between this search and another one, if there is one, in words.
    pub fn differs_from(&self, program: &Program, options: &Options) -> Option<String> {
        if fingerprint(&self.program) != fingerprint(program) {
            return Some("the program is another one".to_owned());
        }
        let ours = &self.options;
        let words = |here: &str, there: &str, what: &str| {
            format!("{what} is {here} there, and {there} here")
        };
        if ours.model != options.model {
            return Some(words(ours.model.name(), options.model.name(), "the model"));
        }
        if ours.strategy != options.strategy {
            return Some(words(ours.strategy.name(), options.strategy.name(), "the strategy"));
        }
        let mut same = options.clone();
        same.limits.budget.clone_from(&ours.limits.budget);
        same.limits.workers = ours.limits.workers;
        same.limits.executions = ours.limits.executions;
        same.limits.progress.clone_from(&ours.limits.progress);
        same.limits.keeper.clone_from(&ours.limits.keeper);
        let differing = [
            ("--keep-going", ours.keep_going != same.keep_going),
            (
                "--check, --no-check or --suppress",
                ours.checks != same.checks || ours.ignored != same.ignored,
            ),
            ("--buffer-bound", ours.buffer_bound != same.buffer_bound),
            ("--seed or --runs", ours.sampling != same.sampling),
            ("a limit (--max-events, --unroll)", *ours != same),
        ];
        let (what, _) = differing.into_iter().find(|(_, differs)| *differs)?;
        Some(format!("{what} is different"))
    }
}
