//! Loading: from input files to a program.

use crate::clang::{self, Clang, Compiled, Failed, Flags, MAX_BYTES, Overlay, Rule};
use crate::escape::Escapes;
use crate::inline_asm::Machine;
use crate::layout::Layout;
use crate::library::Library;
use crate::link::{Links, Unit};
use crate::lower::{Lowered, ProgramLowering, Source, start};
use crate::stub::{self, Does, Stub};
use crate::undefined::Undefined;
use raddle_budget::{Budget, Spent};
use raddle_ir::diag::shown;
use raddle_ir::{Diagnostic, FileKind, FuncId, InstKind, Program, Verified, verify};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Options for compilation and translation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler to use instead of searching for one.
    pub clang: Option<PathBuf>,
    /// Additional flags of the user for the compiler.
    pub flags: Vec<OsString>,
    /// Whether the compiler may colour its messages.
    pub colour: bool,
    /// The range of results of `__VERIFIER_nondet_int` and similar functions.
    pub nondet: RangeInclusive<i64>,
    /// Whether waits for a condition variable may end spuriously.
    pub spurious_wakeups: bool,
    /// The budget for loading. Compilers are killed when it is spent.
    pub budget: Budget,
    /// Replacement texts for files that are compiled or included.
    pub texts: Vec<(PathBuf, Vec<u8>)>,
    /// Whether to list the source files of the program ([`Loaded::sources`]).
    pub list_sources: bool,
    /// Bodies for functions that the program declares and does not define.
    pub stubs: Vec<Stub>,
}

impl Options {
    /// The stub of this name.
    pub(crate) fn stub(&self, name: &str) -> Option<&Stub> {
        self.stubs.iter().find(|stub| stub.name == name)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            clang: None,
            flags: Vec::new(),
            colour: false,
            nondet: 0..=3,
            spurious_wakeups: false,
            budget: Budget::UNLIMITED,
            texts: Vec::new(),
            list_sources: false,
            stubs: Vec::new(),
        }
    }
}

/// A program, and remarks on how it was made.
#[derive(Debug)]
pub struct Loaded {
    pub program: Verified,
    /// The compiler's warnings, as it printed them.
    pub messages: String,
    /// The optimisation level with which the program was compiled, if it was optimised.
    pub optimised: Option<String>,
    /// The used library functions with invented results, such as `rand` and `time`.
    pub stand_ins: Vec<&'static str>,
    /// Whether the program has inputs that take only the values of [`Options::nondet`].
    pub has_inputs: bool,
    /// The machines of its inline assembly.
    pub machines: BTreeSet<Machine>,
    /// The compiled files and the headers that they include, except system headers, if
    /// [`Options::list_sources`] asks for them.
    pub sources: Vec<PathBuf>,
    /// The functions that the program refers to and that are not defined.
    pub undefined: Vec<Undefined>,
    /// The functions that headers of the compiler or the system define.
    pub foreign: BTreeSet<FuncId>,
}

/// A program without remarks.
impl From<Verified> for Loaded {
    fn from(program: Verified) -> Loaded {
        Loaded {
            program,
            messages: String::new(),
            optimised: None,
            stand_ins: Vec::new(),
            has_inputs: false,
            machines: BTreeSet::new(),
            sources: Vec::new(),
            undefined: Vec::new(),
            foreign: BTreeSet::new(),
        }
    }
}

/// The reason why loading failed.
#[derive(Debug)]
pub enum Error {
    /// The compiler rejected the source; its messages.
    Compiler(String),
    /// Any other error. The bytes are the text that the diagnostic refers to, if it is not a file.
    Diagnostic(Diagnostic, Vec<u8>),
    /// The budget was spent.
    Stopped(Spent),
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Error {
        match failed {
            Failed::Rejected(messages) => Error::Compiler(messages),
            Failed::NotRun(diagnostic) => diagnostic.into(),
            Failed::Stopped(spent) => Error::Stopped(spent),
        }
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Error {
        Error::Diagnostic(diagnostic, Vec::new())
    }
}

/// Compiles, parses, links and translates. Requires at least one input.
pub fn load(inputs: &[PathBuf], options: &Options) -> Result<Loaded, Error> {
    let overlay = Overlay::new(&options.texts).map_err(|error| {
        let file = inputs.first().map_or(String::new(), |input| input.display().to_string());
        Diagnostic::whole_file(&file, format!("cannot compile another text of it: {error}"))
    })?;
    let given = [&options.flags[..], overlay.flags()].concat();
    let flags = Flags { given, colour: options.colour };
    let clang = if inputs.iter().all(|input| is_text(input)) {
        None
    } else {
        Some(clang::find(options.clang.as_deref(), &options.budget)?)
    };
    let read = |input: &PathBuf| read(input, clang.as_ref(), &flags, options);
    let parts: Vec<Result<Part, Error>> = match inputs {
        [only] => vec![read(only)],
        many => many.par_iter().map(read).collect(),
    };
    let mut units = Vec::with_capacity(parts.len());
    let mut messages = String::new();
    let mut sources: Vec<PathBuf> = Vec::new();
    for part in parts {
        let part = part?;
        units.push(part.unit);
        messages.push_str(&part.messages);
        for file in part.sources {
            if !sources.contains(&file) {
                sources.push(file);
            }
        }
    }
    let Lowered { program, machines, undefined, foreign } = assemble(&units, options)?;
    let program = verify(program).map_err(Diagnostic::from)?;
    let optimised = clang.and_then(|_| flags.optimised());
    let stand_ins = crate::library::stand_ins(&program);
    let has_inputs =
        has_inputs(&program) || options.stubs.iter().any(|stub| stub.does == Does::Any);
    let remarks = Loaded::from(program);
    Ok(Loaded {
        messages,
        optimised,
        stand_ins,
        has_inputs,
        machines,
        sources,
        undefined,
        foreign,
        ..remarks
    })
}

/// Whether the program itself takes inputs of which it tries only some values.
fn has_inputs(program: &Program) -> bool {
    let own = program.funcs.values().filter(|func| !func.library);
    let mut insts = own.flat_map(|func| func.blocks.values()).flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.kind, InstKind::Choose { partial: true, .. }))
}

/// Translates one module from its text. LLVM itself rejects uses of values that are not defined there; here
/// the verifier rejects them.
pub fn lower_text(file: &str, text: &[u8], options: &Options) -> Result<Program, Diagnostic> {
    lower(file, text, options).map(|lowered| lowered.program)
}

/// [`lower_text`], with remarks.
pub(crate) fn lower(file: &str, text: &[u8], options: &Options) -> Result<Lowered, Diagnostic> {
    let module = raddle_llvm::parse(file, text)?;
    let layout = Layout::of(file, &module)?;
    let unit = Unit { file: file.to_owned(), module, layout, optimised: was_optimised(text) };
    assemble(&[unit], options)
}

fn is_text(input: &Path) -> bool {
    FileKind::of(input) == Some(FileKind::Llvm)
}

/// One input, parsed.
struct Part {
    unit: Unit,
    messages: String,
    sources: Vec<PathBuf>,
}

fn read(
    input: &Path,
    clang: Option<&Clang>,
    flags: &Flags,
    options: &Options,
) -> Result<Part, Error> {
    let file = shown(input);
    let has_sources = options.list_sources && !is_text(input) && !clang::is_bitcode(input);
    let rule = has_sources.then(Rule::new).transpose().map_err(|error| {
        Diagnostic::whole_file(&file, format!("cannot list the headers that it includes: {error}"))
    })?;
    let Compiled { text, messages } = match clang.filter(|_| !is_text(input)) {
        Some(clang) => clang::compile(clang, flags, input, rule.as_ref(), &options.budget)?,
        None => Compiled { text: read_text(input, &file)?, messages: String::new() },
    };
    let module = match raddle_llvm::parse(&file, &text) {
        Ok(module) => module,
        Err(diagnostic) => return Err(Error::Diagnostic(diagnostic, text)),
    };
    let layout = Layout::of(&file, &module)?;
    let optimised = if is_text(input) { was_optimised(&text) } else { flags.optimised().is_some() };
    let unit = Unit { file, module, layout, optimised };
    let sources = rule.map_or(Vec::new(), |rule| rule.sources(input));
    Ok(Part { unit, messages, sources })
}

/// Whether LLVM IR was optimised, according to its debug information.
fn was_optimised(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("isOptimized: true")
}

fn read_text(input: &Path, file: &str) -> Result<Vec<u8>, Diagnostic> {
    let fail = |error| Diagnostic::whole_file(file, format!("cannot read the file: {error}"));
    if fs::metadata(input).map_err(fail)?.len() > MAX_BYTES {
        return Err(Diagnostic::whole_file(file, "the file is too large")
            .expected(format!("at most {} MiB", MAX_BYTES >> 20)));
    }
    fs::read(input).map_err(fail)
}

fn assemble(units: &[Unit], options: &Options) -> Result<Lowered, Diagnostic> {
    let file = units.first().map_or("", |unit| &unit.file);
    let links = Links::new(units)?;
    let escapes = Escapes::new(units, &links);
    let library = Library::new();
    stub::check(&options.stubs, units, &links, &library)?;
    let source = Source { units, links: &links, escapes: &escapes, library: &library, options };
    let name = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
    let mut assembly = ProgramLowering::new(&name, source);
    start(&mut assembly, file)?;
    let mut lowered = assembly.finish()?;
    crate::library::mark_stand_ins(&mut lowered.program);
    Ok(lowered)
}
