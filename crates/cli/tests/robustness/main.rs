//! For every input file, raddle gives a verdict or a diagnostic: it never panics or hangs.
//!
//! Damaged files pass through all stages of the command (parse, verify, search, replay, print), in one
//! process, under small limits. A watchdog checks that each ends in time. `programs/` contains unusual but
//! well-formed programs, each with its verdict in the first line.
//!
//! `RADDLE_LONG=1` runs many more mutants.

mod campaign;
mod mutate;

use fastrand::Rng;
use raddle_analysis::{CheckResult, Verdict};
use raddle_engine::{Budget, Limits, Model, Options, Sampling, Strategy, Unroll};
use raddle_ir::{Diagnostic, Verified, text};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, diagnostic, json};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

const MUTANTS: u64 = 10_000;
/// The longest time that a file of a few kilobytes may take under [`limits`] on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The models of the interleaving engine.
const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

#[derive(Clone, Debug)]
struct File {
    name: String,
    bytes: Vec<u8>,
}

fn limits() -> Limits {
    Limits {
        executions: Some(50),
        budget: Budget::new(Some(Duration::from_millis(200)), None),
        events: 100,
        local_steps: 2_000,
        unroll: Unroll::NONE,
        spin: true,
        ..Limits::default()
    }
}

/// The files in a folder of the crate, sorted by name.
fn files(folder: &str) -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder can be read");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    let name =
        |path: &Path| path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into());
    paths
        .iter()
        .map(|path| File { name: name(path), bytes: std::fs::read(path).expect("a readable file") })
        .collect()
}

fn load(file: &File) -> Result<Verified, Diagnostic> {
    let program = if file.name.ends_with(".litmus") {
        raddle_front_litmus::load(&file.name, &file.bytes)?.program
    } else {
        text::load(&file.name, &file.bytes)?
    };
    match program.threads.is_empty() {
        true => Err(Diagnostic::whole_file(&file.name, "the program starts no thread")),
        false => Ok(program),
    }
}

/// Does the same as `raddle check`, including the output.
fn check(file: &File, program: &Verified, options: &Options) -> CheckResult {
    let result = raddle_analysis::check(program, options);
    let run = Run { file: &file.name, program, options };
    for width in [20, 120] {
        let look =
            Look { width, colour: true, all_steps: false, calls: true, sources: &Sources::none() };
        assert!(!raddle_report::check::text(&run, &look, &result).is_empty());
    }
    assert!(json::line(&json::check(&run, &result)).ends_with("}\n"));
    result
}

fn any_options(rng: &mut Rng) -> Options {
    let strategies = [Strategy::Optimal, Strategy::Source, Strategy::Exhaustive, Strategy::Random];
    Options {
        sampling: Sampling { seed: rng.u64(..), runs: 20 },
        strategy: strategies[rng.usize(..strategies.len())],
        limits: limits(),
        keep_going: rng.bool(),
        count_traces: rng.bool(),
        ..Options::new(MODELS[rng.usize(..MODELS.len())])
    }
}

/// Runs all stages for one file; returns the verdict if the file is a program.
fn drive(file: &File, rng: &mut Rng) -> Option<Verdict> {
    match load(file) {
        Ok(program) => {
            let result = check(file, &program, &any_options(rng));
            assert!(result.unconfirmed.is_empty(), "a failure does not replay: {result:?}");
            Some(result.verdict)
        }
        Err(diagnostic) => {
            assert!(!diagnostic::render(&diagnostic, &file.bytes, false).is_empty());
            None
        }
    }
}

fn mutant(originals: &[File], seed: u64) -> (File, Rng) {
    let mut rng = Rng::with_seed(seed);
    let original = &originals[rng.usize(..originals.len())];
    let other = &originals[rng.usize(..originals.len())];
    let bytes = mutate::mutant(&mut rng, &original.bytes, &other.bytes);
    (File { name: original.name.clone(), bytes }, rng)
}

fn drive_all(originals: &[File], count: u64, done: &SyncSender<Option<Verdict>>) {
    for seed in 0..count {
        let (file, mut rng) = mutant(originals, seed);
        if done.send(drive(&file, &mut rng)).is_err() {
            return;
        }
    }
}

#[test]
fn mutants_end_in_a_verdict_or_a_diagnostic() {
    let originals = [files("../../examples"), files("tests/robustness/programs")].concat();
    let count = raddle_testing::scaled(MUTANTS, 50);
    let (sender, receiver) = sync_channel(0);
    let for_worker = originals.clone();
    let worker = std::thread::spawn(move || drive_all(&for_worker, count, &sender));
    let mut programs = 0;
    for seed in 0..count {
        let complain = |what: &str| -> ! {
            let (file, _) = mutant(&originals, seed);
            panic!("mutant {seed} of {} {what}:\n{}", file.name, file.bytes.escape_ascii())
        };
        match receiver.recv_timeout(PATIENCE) {
            Ok(verdict) => programs += u64::from(verdict.is_some()),
            Err(RecvTimeoutError::Timeout) => complain("does not end"),
            Err(RecvTimeoutError::Disconnected) => complain("panics"),
        }
    }
    worker.join().expect("the worker has ended");
    println!("{programs} of {count} mutants are programs");
    // If no mutant were a program, the test would show little.
    assert!(programs > count / 10, "only {programs} of {count} mutants are programs");
}

/// The verdict in a program's first line: `// verdict: safe`.
fn wanted(file: &File) -> String {
    let text = String::from_utf8_lossy(&file.bytes);
    let first = text.lines().next().unwrap_or_default();
    let verdict = first.strip_prefix("// verdict: ");
    verdict.unwrap_or_else(|| panic!("{} starts with no verdict", file.name)).to_owned()
}

#[test]
fn odd_programs_have_their_verdicts() {
    for file in files("tests/robustness/programs") {
        let program = load(&file).unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
        for model in MODELS {
            for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Exhaustive] {
                let options = Options {
                    strategy,
                    limits: Limits {
                        executions: Some(20_000),
                        budget: Budget::UNLIMITED,
                        ..limits()
                    },
                    keep_going: true,
                    ..Options::new(model)
                };
                let result = check(&file, &program, &options);
                // Without reduction there may be too many executions to visit.
                if result.summary.stopped.is_some() && strategy == Strategy::Exhaustive {
                    continue;
                }
                let verdict = result.verdict.name();
                assert_eq!(verdict, wanted(&file), "{} under {model} {strategy:?}", file.name);
            }
        }
    }
}
