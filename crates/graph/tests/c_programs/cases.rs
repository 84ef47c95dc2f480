//! The programs of `tests/c/programs` and `tests/c/table1`, and the ways to run each, as listed at its head
//! or in its table.

use raddle_engine::{LoopBound, Unroll};
use raddle_front_c::{Error, Options as Compile, load};
use raddle_ir::Verified;
use raddle_testing::root;
use std::collections::BTreeSet;
use std::path::Path;

/// One way to run a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Case {
    /// `programs/queue.c`
    pub name: String,
    /// The words of the command line after the file.
    pub options: Vec<String>,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.options.join(" "))
    }
}

/// All cases, or those whose name contains the word in `RADDLE_C_ONLY`.
pub(super) fn all() -> Vec<Case> {
    let mut cases = of_programs();
    cases.extend(of_table());
    if let Ok(word) = std::env::var("RADDLE_C_ONLY") {
        cases.retain(|case| case.name.contains(word.as_str()));
    }
    cases.into_iter().collect()
}

fn of_programs() -> BTreeSet<Case> {
    let mut cases = BTreeSet::new();
    let folder = root().join("tests/c/programs");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if !path.is_file() {
            continue;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = format!("programs/{}", name.unwrap_or_default());
        let text = std::fs::read_to_string(&path).expect("readable");
        for line in text.lines().map_while(|line| line.strip_prefix("// expect:")) {
            let options = line.split_once("[options:").and_then(|(_, rest)| rest.split_once(']'));
            let options = words(options.map_or("", |(options, _)| options));
            cases.insert(Case { name: name.clone(), options });
        }
    }
    cases
}

fn of_table() -> BTreeSet<Case> {
    let table = std::fs::read_to_string(root().join("tests/c/table1/expected.tsv"));
    let table = table.expect("the table is there");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let cells = rows.map(|row| row.split('\t').collect::<Vec<_>>());
    let case =
        |cells: Vec<&str>| Case { name: format!("table1/{}", cells[2]), options: words(cells[3]) };
    cells.map(case).collect()
}

/// The words of these options, without `--check races`: the graph engine does not search for data races.
fn words(options: &str) -> Vec<String> {
    options.replace("--check races", "").split_whitespace().map(str::to_owned).collect()
}

/// A program and the bounds on its loops.
pub(super) struct Loaded {
    pub program: Verified,
    pub unroll: Unroll,
}

/// Adds a bound in the form of `--unroll`: `N` or `FILE:LINE=N`.
fn bound_loops(unroll: &mut Unroll, bound: &str) {
    let number = |digits: &str| digits.parse().expect("a number");
    match bound.split_once('=') {
        None => unroll.most = Some(number(bound)),
        Some((place, most)) => {
            let (file, line) = place.split_once(':').expect("a place");
            let bound = LoopBound { file: file.to_owned(), line: number(line), most: number(most) };
            unroll.at.push(bound);
        }
    }
}

/// Compiles a case; `None` if the compiler fails.
pub(super) fn compile(case: &Case) -> Option<Loaded> {
    let mut files = vec![root().join("tests/c").join(&case.name)];
    let mut options = Compile { flags: vec!["-w".into()], ..Compile::default() };
    let mut unroll = Unroll::NONE;
    let mut words = case.options.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--" => options.flags.extend(words.by_ref().map(Into::into)),
            "--unroll" => bound_loops(&mut unroll, words.next().expect("a bound")),
            "--unroll-all" => unroll.all = true,
            "--spurious-wakeups" => options.spurious_wakeups = true,
            _ if word.starts_with("--nondet-range=") => {
                let range = word.split_once('=').and_then(|(_, range)| range.split_once(".."));
                let (low, high) = range.expect("a range");
                options.nondet = low.parse().expect("a number")..=high.parse().expect("a number");
            }
            file => files.push(root().join(Path::new(file))),
        }
    }
    match load(&files, &options) {
        Ok(loaded) => Some(Loaded { program: loaded.program, unroll }),
        Err(Error::Compiler(complaint)) => {
            println!("{case}: the compiler does not manage that:\n{complaint}");
            None
        }
        Err(Error::Diagnostic(diagnostic, _)) => panic!("{case}: {diagnostic}"),
        Err(Error::Stopped(spent)) => panic!("{case}: {spent:?}"),
    }
}
