//! From the files that were named to a program.
//!
//! One `.rir` or `.litmus` file is a program by itself; files of C and LLVM IR are compiled and linked.
//! Loading happens in a thread of its own, so that whatever takes long, a compiler, a parser or a file
//! system, can be given up when the budget is spent.

use crate::config::SourceConfig;
use crate::input;
use crate::output::Output;
use crate::status::Status;
use raddle_budget::{Budget, Spent};
use raddle_engine::Model;
use raddle_front_c::{Error, Loaded, Machine, clang};
use raddle_ir::{Diagnostic, Verified};
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Room for the parsers' recursion, as the main thread has it.
const STACK: usize = 8 << 20;
/// How often it is looked whether the budget is spent.
const PAUSE: Duration = Duration::from_millis(5);
use raddle_patch::SourceFile;
use raddle_patch::statement::Language;
use std::path::{Path, PathBuf};

/// A program, and what to say of how it was made.
#[derive(Debug)]
pub struct Source {
    pub program: Verified,
    /// The files as the user named them.
    pub shown: String,
    /// The optimisation that it was compiled with.
    pub optimised: Option<String>,
    /// The machines that its inline assembly is for.
    machines: BTreeSet<Machine>,
}

impl Source {
    /// Warns of assembly that is not for the machine whose memory it is to run on.
    pub fn warn_of_assembly(&self, models: impl IntoIterator<Item = Model>, output: &mut Output) {
        let models: Vec<Model> = models.into_iter().collect();
        for machine in &self.machines {
            let name = match machine {
                Machine::X86 => "x86",
                Machine::Power => "POWER",
                Machine::Arm => "ARM",
            };
            let foreign = models.iter().filter(|model| !model.is_of(name));
            let foreign: Vec<&str> = foreign.map(|model| model.name()).collect();
            if !foreign.is_empty() {
                let (shown, foreign) = (&self.shown, foreign.join(", "));
                output.complain(&format!(
                    "warning: {shown}: assembly for {name} is run under {foreign}: its instructions \
                     count as the fences and atomic operations that docs/models.md says"
                ));
            }
        }
    }
}

/// Why there is no program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotLoaded {
    /// Something is wrong with it, and the user was told.
    Refused,
    /// The budget was spent first.
    Stopped(Spent),
}

impl NotLoaded {
    /// The status of a command that has nothing to say but this.
    pub fn status(self) -> Status {
        match self {
            NotLoaded::Refused => Status::Bad,
            NotLoaded::Stopped(_) => Status::Unknown,
        }
    }
}

/// The files of a program as the user named them.
pub fn shown(config: &SourceConfig) -> String {
    let names: Vec<String> = config.files.iter().map(|path| input::shown(path)).collect();
    names.join(" ")
}

/// Makes a program while its budget lasts.
pub fn load(config: &SourceConfig, output: &mut Output) -> Result<Source, NotLoaded> {
    if let Some(diagnostic) = input::no_file(&config.files).or_else(|| unlinkable(config)) {
        output.diagnose(&diagnostic, &[]);
        return Err(NotLoaded::Refused);
    }
    let (files, options, shown) = (config.files.clone(), config.c.clone(), shown(config));
    let loaded = while_it_lasts(&config.c.budget, move || match &*files {
        [file] if !is_compiled(file) => uncompiled(file),
        files => compiled(files, &options),
    });
    match loaded {
        Ok(Ok(loaded)) => {
            warn(config, &loaded, &shown, output);
            let Loaded { program, optimised, machines, .. } = loaded;
            Ok(Source { program, shown, optimised, machines })
        }
        Ok(Err(Error::Compiler(messages))) => {
            output.complain(messages.trim_end());
            Err(NotLoaded::Refused)
        }
        Ok(Err(Error::Diagnostic(diagnostic, source))) => {
            output.diagnose(&diagnostic, &source);
            Err(NotLoaded::Refused)
        }
        Ok(Err(Error::Stopped(spent))) | Err(spent) => {
            output.complain(&format!("{shown}: error: {}", stopped(spent)));
            Err(NotLoaded::Stopped(spent))
        }
    }
}

/// Why a program was not loaded, for people.
pub fn stopped(spent: Spent) -> &'static str {
    match spent {
        Spent::Time => "time ran out while the program was loaded (--timeout)",
        Spent::Memory => {
            "the limit on memory was reached while the program was loaded (--max-memory)"
        }
        Spent::Interrupted => "interrupted while the program was loaded",
    }
}

/// Does something that may take long. When the budget is spent it is left to itself, but for compilers,
/// which are killed.
pub fn while_it_lasts<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Spent> {
    let (sender, receiver) = channel();
    // If nobody waits any more, nobody wants to know.
    let worker = move || sender.send(work()).unwrap_or_default();
    let worker = match thread::Builder::new().stack_size(STACK).spawn(worker) {
        Ok(worker) => worker,
        // The system has no more threads, or no memory for one.
        Err(_) => return Err(budget.spent().unwrap_or(Spent::Memory)),
    };
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Err(Spent::Memory),
            },
            Err(RecvTimeoutError::Timeout) => {
                if let Some(spent) = budget.spent() {
                    clang::end_all();
                    return Err(spent);
                }
            }
        }
    }
}

/// Several files of which one cannot be linked.
fn unlinkable(config: &SourceConfig) -> Option<Diagnostic> {
    let other = config.files.iter().find(|file| !is_compiled(file))?;
    (config.files.len() > 1).then(|| {
        let message = "only C, C++ and LLVM IR are linked with other files";
        Diagnostic::whole_file(&input::shown(other), message)
            .expected("files that end in .c, .cpp, .cc, .ll or .bc, or one file")
    })
}

/// Whether a file is compiled, and so can be linked with others.
pub fn is_compiled(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "i" | "cpp" | "cc" | "cxx" | "C" | "ll" | "bc"))
}

fn uncompiled(file: &Path) -> Result<Loaded, Error> {
    match input::load(file) {
        Ok(program) => Ok(program.into()),
        Err(rejected) => Err(Error::Diagnostic(rejected.diagnostic, rejected.source)),
    }
}

fn compiled(
    files: &[std::path::PathBuf],
    options: &raddle_front_c::Options,
) -> Result<Loaded, Error> {
    let loaded = raddle_front_c::load(files, options)?;
    input::with_threads(&input::shown(&files[0]), &loaded.program)?;
    Ok(loaded)
}

fn warn(config: &SourceConfig, loaded: &Loaded, shown: &str, output: &mut Output) {
    if !loaded.messages.is_empty() {
        output.complain(loaded.messages.trim_end());
    }
    if !loaded.stand_ins.is_empty() {
        let names = loaded.stand_ins.join(", ");
        let what = "what they return is made up and always the same (docs/c-support.md)";
        output.complain(&format!("warning: {shown}: calls to {names}: {what}"));
    }
    if loaded.has_inputs {
        let (low, high) = (config.c.nondet.start(), config.c.nondet.end());
        let what = format!("inputs take the values from {low} to {high} only (--nondet-range)");
        output.complain(&format!("warning: {shown}: {what}"));
    }
}

/// The same program with other texts in place of some files; otherwise, why there is none.
pub fn reload(config: &SourceConfig, texts: &[(PathBuf, Vec<u8>)]) -> Result<Verified, String> {
    let message = |diagnostic: Diagnostic| diagnostic.to_string();
    match (&*config.files, texts) {
        ([file], [(_, text)]) if !is_compiled(file) => {
            input::parse_text(file, text).map_err(message)
        }
        (files, texts) => {
            let texts = texts.to_vec();
            let options = raddle_front_c::Options { colour: false, texts, ..config.c.clone() };
            match raddle_front_c::load(files, &options) {
                Ok(loaded) => Ok(loaded.program),
                Err(Error::Compiler(messages)) => Err(messages),
                Err(Error::Diagnostic(diagnostic, _)) => Err(message(diagnostic)),
                Err(Error::Stopped(spent)) => Err(stopped(spent).to_owned()),
            }
        }
    }
}

/// The files that a program is made from and that a user may edit.
pub fn editable(config: &SourceConfig) -> Vec<SourceFile> {
    let paths = match &*config.files {
        [file] if !is_compiled(file) => vec![file.clone()],
        files => raddle_front_c::sources(files, &config.c),
    };
    let is_cpp = |path: &PathBuf| Language::of(&input::shown(path)) == Language::Cpp;
    let cpp = config.files.iter().any(is_cpp);
    let mut files: Vec<SourceFile> = Vec::new();
    for file in paths.iter().filter_map(|path| SourceFile::read(path, cpp)) {
        // A header may be included under several names.
        if !files.iter().any(|other| other.is(&file)) {
            files.push(file);
        }
    }
    files
}
