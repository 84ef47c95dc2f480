//! The examples in the README and in `docs` show what the command prints, except for lines that end in a time.
//!
//! An example is an indented `$ raddle …`. Its output follows in the same block, up to the next `$`. Examples
//! with files that are not in the tree are not checked. `RADDLE_BLESS=1` rewrites the documents.

use crate::common::{lacks_clang, raddle, root};
use raddle_engine::{Model, Strategy};
use raddle_testing::golden_by;
use std::fs;
use std::path::{Path, PathBuf};

const PROMPT: &str = "    $ ";

#[test]
fn examples_of_the_documents_are_true() {
    let mut shown = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let blessed = examples_run(&path, &text, &mut shown);
        golden_by(&path, &blessed, timeless);
    }
    assert!(shown > 5, "only {shown} examples were found");
}

/// The documentation names every model and every strategy.
#[test]
fn models_and_strategies_are_documented() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a document");
    for name in ["README.md", "docs/models.md", "docs/witness.md"] {
        let text = read(name);
        let missing = Model::ALL.iter().find(|model| !text.contains(&format!("`{model}`")));
        assert_eq!(missing, None, "a model that {name} does not name");
    }
    let text = read("README.md");
    let is_named = |strategy: &Strategy| text.contains(&format!("`{}`", strategy.name()));
    let missing = Strategy::ALL.into_iter().find(|strategy| !is_named(strategy));
    assert_eq!(missing, None, "a strategy that README.md does not name");
}

fn documents() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("docs")).expect("the documents");
    let paths = folder.map(|entry| entry.expect("a document").path());
    let is_document = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut paths: Vec<PathBuf> = paths.filter(is_document).collect();
    paths.sort();
    paths.push(root().join("README.md"));
    paths
}

/// The document with the current output of the command.
fn examples_run(path: &Path, text: &str, shown: &mut u32) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some(args) = line.strip_prefix(PROMPT).and_then(|line| line.strip_prefix("raddle "))
        else {
            continue;
        };
        let mut told = Vec::new();
        while let Some(line) = lines.next_if(|line| is_output(line)) {
            told.push(line);
        }
        let blanks = told.iter().rev().take_while(|line| line.is_empty()).count();
        let args: Vec<&str> = args.split_whitespace().collect();
        let ran = Some(raddle(&args)).filter(|ran| are_there(&args) && !lacks_clang(ran));
        let Some(ran) = ran else {
            told.iter().for_each(|line| out += &format!("{line}\n"));
            continue;
        };
        assert!(ran.status != Some(2), "{}: {args:?}: {}", path.display(), ran.err);
        *shown += 1;
        for line in ran.out.trim_end().lines() {
            out += &if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
        }
        out += &"\n".repeat(blanks);
    }
    out
}

/// Whether the files of an example are in the tree; some examples use invented names.
fn are_there(args: &[&str]) -> bool {
    let mut files = args.iter().filter(|arg| Path::new(arg).extension().is_some());
    files.all(|file| root().join(file).exists())
}

fn is_output(line: &str) -> bool {
    line.is_empty() || line.starts_with("    ") && !line.starts_with(PROMPT)
}

/// A text without the lines that end in a time, and without the times in the columns of tables.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let time = |line: &str| {
        let last = line.strip_suffix(" s").and_then(|rest| rest.rsplit(' ').next());
        last.is_some_and(|time| time.parse::<f64>().is_ok())
    };
    let columns = |line: &str| -> String {
        let pieces: Vec<&str> = line.split(" s ").collect();
        let (last, before) = pieces.split_last().expect("at least one piece");
        let before = before.iter().map(|piece| match piece.rsplit_once(' ') {
            Some((start, word)) if is_time(word) => format!("{} TIME ", start.trim_end()),
            _ => format!("{piece} s "),
        });
        before.collect::<String>() + last
    };
    let lines = text.lines().filter(|line| !time(line));
    lines.map(|line| format!("{}\n", columns(line))).collect()
}

#[test]
fn times_do_not_count() {
    let table = |time: &str| format!("  sc  safe  {time} s  of its error\n  it is so\n  0.1 s\n");
    assert_eq!(timeless(&table("0.001")), timeless(&table(" 13.20")));
    assert!(timeless(&table("0.001")).contains("TIME  of its error\n  it is so\n"));
    assert_eq!(timeless("what is said is so\n"), "what is said is so\n");
}
