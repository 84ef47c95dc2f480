//! The jobs: programs that need more time or memory than they may use, under all commands.

use crate::measure::measure;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A command on a program, with its limits.
#[derive(Debug)]
pub(crate) struct Job {
    pub program: String,
    pub command: Vec<&'static str>,
    pub seconds: f64,
    pub mib: f64,
    path: PathBuf,
}

impl Job {
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words: Vec<String> = self.command.iter().map(|&word| word.to_owned()).collect();
        words.insert(1, self.path.display().to_string());
        words.extend(["--timeout".to_owned(), self.seconds.to_string()]);
        words.extend(["--max-memory".to_owned(), self.mib.to_string()]);
        words
    }

    pub(crate) fn name(&self) -> String {
        format!("{} of {}", self.command.join(" "), self.program)
    }
}

/// Every command that searches programs.
const COMMANDS: [&str; 24] = [
    "check --model sc",
    "check --model tso",
    "check --model pso",
    "check --model sc --json",
    "check --model tso --check races --keep-going",
    "check --model sc --check races",
    "check --model tso --strategy source",
    "check --model tso --strategy persistent",
    "check --model tso --strategy exhaustive",
    "check --model tso --strategy random --runs 1",
    "check --model tso --strategy lazy",
    "check --model tso --strategy graph",
    "check --model power",
    "check --model tso --buffer-bound iterate",
    "robust --model tso",
    "robust --model pso --by cycles",
    "robust --model tso --by count",
    "robust --model tso --by attacks",
    "fence --model tso",
    "fence --model tso --goal",
    "fence --model pso",
    "fence --model arm",
    "reach --model tso",
    "monitor --runs 1",
];

/// The jobs of an ordinary test run: each program under the command for which it is the worst.
const WORST: [(&str, &str); 18] = [
    ("local_loop", "check --model tso"),
    ("local_loop", "check --model tso --strategy random --runs 1"),
    ("counting_spin", "check --model sc --strategy random --runs 1"),
    ("counting_spin", "check --model power"),
    ("endless_local", "check --model arm"),
    ("memset_large", "check --model sc"),
    ("memset_large", "reach --model sc"),
    ("calloc_many", "check --model pso"),
    ("alloca_large", "check --model tso --strategy lazy"),
    ("recursion", "check --model sc"),
    ("buffered_stores", "robust --model pso --by cycles"),
    ("fill_bytes", "check --model sc"),
    ("long_conflicts", "fence --model pso"),
    ("many_states", "reach --model tso"),
    ("many_threads", "robust --model tso"),
    ("slow_failure", "check --model tso --keep-going"),
    ("long_story", "check --model sc --json"),
    ("buffered_stores", "check --model pso"),
];

/// The jobs: all of them, or those of an ordinary test run.
pub(crate) fn jobs(all: bool) -> Vec<Job> {
    let (seconds, mib) = if all { (1.0, 128.0) } else { (0.5, 96.0) };
    let job = |path: &Path, command: &'static str| Job {
        program: path.file_name().expect("a name").to_string_lossy().into_owned(),
        command: command.split(' ').collect(),
        seconds,
        mib,
        path: path.to_owned(),
    };
    let folder = raddle_testing::root().join("crates/cli/tests/limits/programs");
    let mut jobs = Vec::new();
    if all {
        for path in raddle_testing::files(&folder, "c") {
            jobs.extend(COMMANDS.iter().map(|command| job(&path, command)));
        }
    } else {
        let worst = WORST.iter();
        jobs.extend(worst.map(|(name, command)| job(&folder.join(format!("{name}.c")), command)));
    }
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&scratch).expect("a scratch folder");
    let litmus = many_processors(&scratch);
    for command in ["litmus --model tso", "litmus --model arm", "litmus --model sc,tso,pso,power"] {
        jobs.push(job(&litmus, command));
    }
    for log in [long_log(&scratch), late_threads(&scratch), long_names(&scratch)] {
        jobs.push(job(&log, "monitor --model tso"));
        jobs.push(job(&log, "monitor --model tso,pso"));
    }
    jobs.push(job(&long_witness(&scratch, &folder), "replay"));
    jobs
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a scratch file");
    path
}

/// A litmus test of fourteen threads.
fn many_processors(folder: &Path) -> PathBuf {
    let count = 14;
    let row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..count).map(cell).collect();
        format!("{} ;\n", cells.join(" | "))
    };
    let mut text = String::from("PPC many\n{\n");
    for n in 0..count {
        let _ = writeln!(text, "{n}:r1=1; {n}:r2=x; {n}:r4=y;");
    }
    text.push_str("}\n");
    text.push_str(&row(&|n| format!("P{n}")));
    text.push_str(&row(&|_| "stw r1,0(r2)".to_owned()));
    text.push_str(&row(&|_| "lwz r3,0(r4)".to_owned()));
    text.push_str(&row(&|_| "stw r1,0(r4)".to_owned()));
    text.push_str("exists (0:r3=2)\n");
    written(folder, "many_processors.litmus", &text)
}

/// A log of many events, with many different addresses and sites.
fn long_log(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for n in 0..1_000_000_u32 {
        let op = if n % 3 == 0 { 'w' } else { 'r' };
        let _ = writeln!(text, "{} {op} a{} @s{}", n % 64, n.wrapping_mul(7919) % 300_000, n);
    }
    written(folder, "long.log", &text)
}

/// A log of many addresses, in which most threads appear only after all addresses.
fn late_threads(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for n in 0..300_000_u32 {
        let _ = writeln!(text, "{} {} a{n} @s{}", n % 4, ["r", "w"][n as usize % 2], n % 50);
    }
    for thread in 4..200 {
        let _ = writeln!(text, "{thread} w x");
    }
    written(folder, "late_threads.log", &text)
}

/// A log in which every name is long.
fn long_names(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for n in 0..100_000_u32 {
        let _ = writeln!(text, "{} w {n:0>300} @{n:0>300}", n % 16);
    }
    written(folder, "long_names.log", &text)
}

/// A witness of a program that runs for a long time before it fails.
fn long_witness(folder: &Path, programs: &Path) -> PathBuf {
    let (program, witness) = (programs.join("slow_failure.c"), folder.join("slow_failure.json"));
    let words = ["check", "--model", "tso", "--witness"].map(str::to_owned);
    let [program, path] = [&program, &witness].map(|path| path.display().to_string());
    let made = measure(&[&words[..], &[path, program]].concat());
    assert_eq!(made.status, Some(1), "{}", made.out);
    witness
}
