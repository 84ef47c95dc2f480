//! Runs the command on damaged inputs of every kind. For every input, it must end in time, with a documented
//! exit status, and without a panic.
//!
//! `RADDLE_LONG=1` runs 50,000 of them.

use crate::mutate::mutant;
use fastrand::Rng;
use raddle_testing::root;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const DAMAGED: u64 = 250;
const TIMES: u64 = 200;
/// The time limit of the commands, in seconds, and how much longer they may take. A machine that runs other
/// tests at the same time gets more slack.
const LIMIT: f64 = 0.3;
const SLACK: Duration = Duration::from_secs(1);
const BUSY_SLACK: Duration = Duration::from_secs(10);

/// Files of one kind, and the commands that accept them; `F` stands for the file.
struct Kind {
    extension: &'static str,
    originals: Vec<Vec<u8>>,
    commands: &'static [&'static str],
    /// The percentage of inputs of this kind.
    share: u64,
}

const PROGRAMS: &[&str] = &[
    "check F --model tso --max-memory 512",
    "check F --model sc,pso --check races --keep-going --json",
    "check F --model power --unroll 3",
    "check F --model tso --strategy random --runs 20",
    "check F --model tso --strategy lazy",
    "robust F --model tso,pso --json",
    "fence F --model tso",
    "fence F --model power --goal",
    "reach F --model tso",
    "monitor F --runs 20",
    "print F",
];

/// The contents of the small files with these extensions in and below a folder.
fn contents(folder: &Path, extensions: &[&str], found: &mut Vec<Vec<u8>>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            contents(&path, extensions, found);
        } else if extension.is_some_and(|extension| extensions.contains(&extension))
            && let Ok(bytes) = fs::read(&path)
            && bytes.len() < 1 << 16
            && found.len() < 3000
        {
            found.push(bytes);
        }
    }
}

fn gathered(folders: &[&str], extensions: &[&str]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| contents(&root().join(folder), extensions, &mut found));
    assert!(!found.is_empty(), "{folders:?} have no {extensions:?}");
    found
}

/// Logs, and witness files of the examples.
fn logs() -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(3);
    let line = |rng: &mut Rng| match rng.u32(..8) {
        0 => format!("{} f\n", rng.u32(..4)),
        1 => format!("{} s {}\n", rng.u32(..4), rng.u32(4..8)),
        2 => format!("{} u 0x{:x} @p.c:{}\n", rng.u32(..4), rng.u32(..64), rng.u32(..99)),
        _ => format!("{} {} x{} # why\n", rng.u32(..4), ["r", "w"][rng.usize(..2)], rng.u32(..9)),
    };
    (0..20).map(|_| (0..40).map(|_| line(&mut rng)).collect::<String>().into_bytes()).collect()
}

fn witnesses(folder: &Path) -> Vec<Vec<u8>> {
    let examples = [("dekker.rir", "tso"), ("deadlock.rir", "sc"), ("MP.litmus", "pso")];
    let written = examples.map(|(name, model)| {
        let path = folder.join("w.json");
        let program = root().join("examples").join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.arg("check").arg(program).args(["--model", model, "--witness"]).arg(&path);
        assert!(command.output().is_ok_and(|output| output.status.code() == Some(1)), "{name}");
        fs::read(path).expect("a witness")
    });
    written.into()
}

fn kinds(folder: &Path) -> Vec<Kind> {
    let shared = "../shared/litmus";
    let programs = ["examples", "crates/cli/tests/robustness/programs"];
    let has_clang = Command::new("clang").arg("--version").output().is_ok();
    if !has_clang {
        raddle_testing::missing("clang");
    }
    let c = if has_clang { 6 } else { 0 };
    let kind =
        |extension, originals, commands, share| Kind { extension, originals, commands, share };
    const LITMUS: &[&str] = &[
        "litmus F --model tso",
        "litmus F --model sc,power --json",
        "litmus F --model arm",
        "check F --model pso",
        "fence F --model arm",
    ];
    vec![
        kind("rir", gathered(&programs, &["rir"]), PROGRAMS, 22),
        kind("litmus", gathered(&["examples", shared], &["litmus"]), LITMUS, 22),
        kind("aut", gathered(&["tests/automata"], &["aut"]), PROGRAMS, 14),
        kind("ll", gathered(&["crates/llvm/tests/ll"], &["ll"]), PROGRAMS, 22),
        kind("log", logs(), &["monitor F", "monitor F --model pso --json"], 8),
        kind("json", witnesses(folder), &["replay F", "replay F --json"], 100 - 88 - c),
        kind("c", gathered(&["examples", "tests/c"], &["c"]), PROGRAMS, c / 2),
        kind("cpp", gathered(&["tests/c"], &["cpp", "cc"]), PROGRAMS, c - c / 2),
    ]
}

/// Runs one command; returns an error if it did not end as it must.
fn run(path: &Path, words: &str) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    let path_or = |word: &str| if word == "F" { path.as_os_str().into() } else { word.into() };
    command.args(words.split(' ').map(|word| -> std::ffi::OsString { path_or(word) }));
    command.args(["--timeout", &LIMIT.to_string()]);
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let (took, status) = (start.elapsed(), output.status);
    let err = String::from_utf8_lossy(&output.stderr);
    if err.contains("panicked") || status.signal().is_some() {
        return Err(format!("{status}: {}", err.chars().take(2000).collect::<String>()));
    }
    if !matches!(status.code(), Some(0..=3)) {
        return Err(format!("{status}: {err}"));
    }
    if String::from_utf8_lossy(&output.stdout).contains("defect of raddle") {
        return Err("something found does not replay".to_owned());
    }
    let slack = if raddle_testing::is_long() { SLACK } else { BUSY_SLACK };
    let limit = Duration::from_secs_f64(LIMIT) + slack;
    if took > limit { Err(format!("it took {took:?}")) } else { Ok(()) }
}

/// Runs the inputs of one worker; returns the errors.
fn work(kinds: &[Kind], folder: &Path, seeds: impl Iterator<Item = u64>) -> Vec<String> {
    let mut wrong = Vec::new();
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let mut ticket = rng.u64(..100);
        let picked = kinds.iter().find(|kind| {
            let chosen = ticket < kind.share;
            ticket = ticket.saturating_sub(kind.share);
            chosen
        });
        let Some(kind) = picked else { continue };
        let [a, b] = [(); 2].map(|()| &kind.originals[rng.usize(..kind.originals.len())]);
        let words = kind.commands[rng.usize(..kind.commands.len())];
        let path = folder.join(format!("{seed}.{}", kind.extension));
        fs::write(&path, mutant(&mut rng, a, b)).expect("a file");
        match run(&path, words) {
            // The file is kept for inspection.
            Err(why) => wrong.push(format!("{}: {words}: {why}", path.display())),
            Ok(()) => fs::remove_file(&path).expect("a file"),
        }
    }
    wrong
}

#[test]
fn damaged_inputs_of_every_kind_end_in_time() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("campaign");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let kinds = kinds(&folder);
    let count = raddle_testing::scaled(DAMAGED, TIMES);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let wrong: Vec<String> = thread::scope(|scope| {
        let (kinds, folder) = (&kinds, &folder);
        let spawned: Vec<_> = (0..workers)
            .map(|n| scope.spawn(move || work(kinds, folder, (n as u64..count).step_by(workers))))
            .collect();
        spawned.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    println!("{count} damaged inputs in {:?}, {} wrong", start.elapsed(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
