//! From the files that were named to a program.
//!
//! One `.rir` or `.litmus` file is a program by itself; files of C and LLVM IR are compiled and linked.
//! Loading happens in a thread of its own, so that whatever takes long, a compiler, a parser or a file
//! system, can be given up when the budget is spent.

use crate::config::SourceConfig;
use crate::input;
use crate::output::{Output, Stop};
use crate::status::Status;
use crate::undefined;
use crate::unroll;
use raddle_budget::{Budget, Spent};
use raddle_engine::{Model, Unroll};
use raddle_front_c::{Error, Loaded, Machine, Stub, clang};
use raddle_ir::{Diagnostic, FileKind, FuncId, Verified};
use raddle_patch::SourceFile;
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Room for the parsers' recursion, as the main thread has it.
const STACK: usize = 8 << 20;
/// The budget is polled at these intervals while something else is waited for.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// A program, and what to say of how it was made.
///
/// If the budget was spent first, the program is empty, and commands report that it was not searched.
#[derive(Debug)]
pub(crate) struct Source {
    pub program: Verified,
    /// The files as the user named them.
    pub shown: String,
    /// Why the program was not loaded to its end.
    pub stopped: Option<Spent>,
    /// The optimisation that it was compiled with.
    pub optimised: Option<String>,
    /// The machines that its inline assembly is for.
    machines: BTreeSet<Machine>,
    /// The files that it is made from, if the command asked for them.
    files: Vec<PathBuf>,
    /// The functions that headers of the compiler or the system define.
    pub foreign: BTreeSet<FuncId>,
}

impl Source {
    /// The files that the program is made from and that a user may edit.
    pub(crate) fn editable(&self) -> Vec<SourceFile> {
        let cpp = self.files.iter().any(|file| FileKind::of(file) == Some(FileKind::Cpp));
        let mut files: Vec<SourceFile> = Vec::new();
        for file in self.files.iter().filter_map(|path| SourceFile::read(path, cpp)) {
            // A header may be included under several names.
            if !files.iter().any(|other| other.is(&file)) {
                files.push(file);
            }
        }
        files
    }

    /// The files that the program is made from, headers included.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let positions = self.program.files.iter().map(Path::new);
        self.files.iter().map(PathBuf::as_path).chain(positions)
    }

    /// Warns of assembly that is not for the machine whose memory it is to run on.
    fn warn_of_assembly(&self, models: &[Model], output: &mut Output) {
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
                output.warn(&format!(
                    "warning: {shown}: assembly for {name} is run under {foreign}: its instructions \
                     count as the fences and atomic operations that docs/models.md says"
                ));
            }
        }
    }
}

/// Makes a program that is to be searched under `models`, with its loops bounded by `unroll`.
pub(crate) fn prepare(
    config: &SourceConfig,
    models: &[Model],
    unroll: &Unroll,
    output: &mut Output,
) -> Result<Source, Stop> {
    let source = load(config, output)?;
    if source.stopped.is_none() {
        unroll::check(&source.program, unroll)?;
        source.warn_of_assembly(models, output);
    }
    Ok(source)
}

/// Runs a command on each program, with a budget of its own. One that is refused does not stop the
/// others.
pub(crate) fn for_each(
    programs: &[SourceConfig],
    budget: &Budget,
    output: &mut Output,
    mut run: impl FnMut(&SourceConfig, &mut Output) -> Result<(), Stop>,
) -> Result<Status, Stop> {
    for program in programs {
        match run(&program.within(&budget.afresh()), output) {
            Ok(()) | Err(Stop::Refused) => {}
            Err(stop) => return Err(stop),
        }
    }
    Ok(output.status())
}

/// Makes a program while its budget lasts.
pub(crate) fn load(config: &SourceConfig, output: &mut Output) -> Result<Source, Stop> {
    let refused = input::no_file(&config.files).or_else(|| unlinkable(config));
    if let Some(diagnostic) = refused.or_else(|| nothing_to_compile(config)) {
        return Err(output.refuse(&diagnostic));
    }
    let (files, options, shown) = (config.files.clone(), config.c.clone(), config.shown());
    let loaded = while_it_lasts(&config.c.budget, move || match &*files {
        [file] if !is_compiled(file) => input::load(file).map(|program| {
            let sources = files.clone();
            Loaded { sources, ..Loaded::from(program) }
        }),
        files => compiled(files, &options),
    });
    match loaded {
        Ok(loaded) => {
            warn(config, &loaded, &shown, output);
            let Loaded { program, optimised, machines, sources: files, foreign, .. } = loaded;
            Ok(Source { program, shown, stopped: None, optimised, machines, files, foreign })
        }
        Err(error) => {
            let spent = complain(&shown, error, output)?;
            Ok(Source {
                program: Verified::default(),
                shown,
                stopped: Some(spent),
                optimised: None,
                machines: BTreeSet::new(),
                files: Vec::new(),
                foreign: BTreeSet::new(),
            })
        }
    }
}

/// Shows why a program was not loaded. Refuses it, unless the budget was spent.
pub(crate) fn complain(shown: &str, error: Error, output: &mut Output) -> Result<Spent, Stop> {
    match error {
        Error::Compiler(messages) => output.report(messages.trim_end()),
        Error::Diagnostic(diagnostic, source) => output.diagnose(&diagnostic, &source),
        Error::Stopped(spent) => {
            output.report(&format!("{shown}: error: {}", stopped(spent)));
            return Ok(spent);
        }
    }
    Err(output.refused())
}

/// Why a program was not loaded, for people.
fn stopped(spent: Spent) -> &'static str {
    match spent {
        Spent::Time => "time ran out while the program was loaded (--timeout)",
        Spent::Memory => {
            "the limit on memory was reached while the program was loaded (--max-memory)"
        }
        Spent::Interrupted => "interrupted while the program was loaded",
    }
}

/// Loads something, which may take long. When the budget is spent the work is left to itself, but for
/// compilers, which are killed.
pub(crate) fn while_it_lasts<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (sender, receiver) = channel();
    // The send fails if the caller has given up; the result is then dropped.
    let worker = move || sender.send(work()).unwrap_or_default();
    let worker = match thread::Builder::new().stack_size(STACK).spawn(worker) {
        Ok(worker) => worker,
        // The system has no more threads, or no memory for one.
        Err(_) => return Err(Error::Stopped(budget.spent().unwrap_or(Spent::Memory))),
    };
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Err(Error::Stopped(Spent::Memory)),
            },
            Err(RecvTimeoutError::Timeout) => {
                if let Some(spent) = budget.spent() {
                    clang::end_all();
                    return Err(Error::Stopped(spent));
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
        let endings = FileKind::endings(FileKind::is_compiled);
        Diagnostic::whole_file(&input::shown(other), message)
            .expected(format!("files that end in {endings}, or one file"))
    })
}

/// An option of C for a program that is not compiled.
fn nothing_to_compile(config: &SourceConfig) -> Option<Diagnostic> {
    let other = config.files.iter().find(|file| !is_compiled(file))?;
    let option = config.option_of_c()?;
    let endings = FileKind::endings(FileKind::is_compiled);
    let message = format!("{option}: for programs that are compiled");
    let wrong = Diagnostic::whole_file(&input::shown(other), message);
    Some(wrong.expected(format!("files that end in {endings}")))
}

/// Whether a file is compiled, and so can be linked with others.
fn is_compiled(path: &Path) -> bool {
    FileKind::of(path).is_some_and(FileKind::is_compiled)
}

fn compiled(files: &[PathBuf], options: &raddle_front_c::Options) -> Result<Loaded, Error> {
    let loaded = raddle_front_c::load(files, options)?;
    input::with_threads(&input::shown(&files[0]), &loaded.program)?;
    Ok(loaded)
}

fn warn(config: &SourceConfig, loaded: &Loaded, shown: &str, output: &mut Output) {
    match warnings(&loaded.messages) {
        0 if loaded.messages.is_empty() => {}
        count if count > 0 && !config.asks_for_warnings() => {
            let them = if count == 1 { "a warning" } else { &format!("{count} warnings") };
            output.warn(&format!("note: {shown}: clang has {them}; `-- -Wall` shows them"));
        }
        _ => output.warn(loaded.messages.trim_end()),
    }
    if !loaded.stand_ins.is_empty() {
        let names = loaded.stand_ins.join(", ");
        let what = "what they return is made up and always the same (docs/c-support.md)";
        output.warn(&format!("warning: {shown}: calls to {names}: {what}"));
    }
    if let Some(warning) = undefined::warning(shown, loaded) {
        output.warn(&warning);
    }
    if !config.c.stubs.is_empty() {
        let stubs = phrases(&config.c.stubs).join("; ");
        output.warn(&format!("warning: {shown}: as the user says (--stub): {stubs}"));
    }
    if loaded.has_inputs {
        let (low, high) = (config.c.nondet.start(), config.c.nondet.end());
        let what = format!("inputs take the values from {low} to {high} only (--nondet-range)");
        output.warn(&format!("warning: {shown}: {what}"));
    }
}

/// The number of warnings among the messages of a compiler, which may be coloured.
fn warnings(messages: &str) -> usize {
    let plain = |line: &str| console::strip_ansi_codes(line).into_owned();
    messages.lines().filter(|line| plain(line).contains(": warning: ")).count()
}

/// The stubs that a program is made with, in words.
pub(crate) fn phrases(stubs: &[Stub]) -> Vec<String> {
    stubs.iter().map(Stub::phrase).collect()
}

/// The same program with other texts in place of some files; otherwise, why there is none.
pub(crate) fn reload(
    config: &SourceConfig,
    texts: &[(PathBuf, Vec<u8>)],
) -> Result<Verified, String> {
    let message = |diagnostic: Diagnostic| diagnostic.to_string();
    match (&*config.files, texts) {
        ([file], [(_, text)]) if !is_compiled(file) => {
            input::parse_text(file, text).map_err(message)
        }
        (files, texts) => {
            let texts = texts.to_vec();
            let list_sources = false;
            let options = config.c.clone();
            let options = raddle_front_c::Options { colour: false, texts, list_sources, ..options };
            match raddle_front_c::load(files, &options) {
                Ok(loaded) => Ok(loaded.program),
                Err(Error::Compiler(messages)) => Err(messages),
                Err(Error::Diagnostic(diagnostic, _)) => Err(message(diagnostic)),
                Err(Error::Stopped(spent)) => Err(stopped(spent).to_owned()),
            }
        }
    }
}
