//! `raddle.toml`.

use crate::common::{Ran, command, root, scratch};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a project: two programs of the examples, and a file with this text.
fn project(test: &str, toml: &str) -> PathBuf {
    let folder = scratch(test);
    fs::create_dir(folder.join(".git")).expect("a folder");
    fs::create_dir(folder.join("sub")).expect("a folder");
    for name in ["dekker.rir", "deadlock.rir"] {
        fs::copy(root().join("examples").join(name), folder.join(name)).expect("a copy");
    }
    fs::write(folder.join("raddle.toml"), toml).expect("the file");
    folder
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    let args = [&["check"], args].concat();
    command(&args).current_dir(folder).output().expect("the command starts").into()
}

/// The file and the model of each result.
fn searched(ran: &Ran) -> Vec<String> {
    let lines = ran.out.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    lines.map(str::to_owned).collect()
}

const TWO: &str = "\
[defaults]
model = ['sc', 'tso']
[[check]]
files = ['dekker.rir']
[[check]]
files = ['deadlock.rir']
model = 'pso'
no-deadlock = true
[[suppress]]
kind = 'assertion'
file = 'dekker.rir'
reason = 'the textbook case'
";

#[test]
fn a_project_is_checked_without_arguments() {
    let folder = project("project-plain", TWO);
    let all =
        ["dekker.rir under sc: safe", "dekker.rir under tso: safe", "deadlock.rir under pso: safe"];
    let ran = run(&folder, &[]);
    assert_eq!((ran.status, searched(&ran)), (Some(0), all.map(str::to_owned).into()), "{ran:?}");
    // From a folder below, in the same words.
    assert_eq!(searched(&run(&folder.join("sub"), &[])), all);
    let sc = ["dekker.rir under sc: safe", "deadlock.rir under sc: safe"];
    assert_eq!(searched(&run(&folder, &["--model", "sc"])), sc);
}

#[test]
fn files_of_the_command_line_have_the_defaults() {
    let folder = project("project-files", TWO);
    let ran = run(&folder.join("sub"), &["../dekker.rir", "--model", "tso"]);
    assert_eq!(
        (ran.status, searched(&ran)),
        (Some(0), vec!["sub/../dekker.rir under tso: safe".to_owned()]),
        "{ran:?}"
    );
    let alone = run(&folder, &["dekker.rir", "--model", "tso", "--no-config"]);
    assert_eq!(alone.status, Some(1), "{alone:?}");
    assert_eq!(run(&folder, &["--no-config"]).status, Some(2));
    let named = run(&folder.join("sub"), &["--config", "../raddle.toml", "--model", "sc"]);
    assert_eq!(searched(&named).len(), 2, "{named:?}");
}

#[test]
fn mistakes_have_their_line_and_a_way_out() {
    for (toml, place, words) in [
        ("[defaults]\nmodle = 'sc'\n", "2:1", "did you mean 'model'?"),
        (
            "[defaults]\n model = 'tsp'\n[[check]]\nfiles = ['dekker.rir']\n",
            "2:2",
            "not a memory model",
        ),
        (
            "[[check]]\nfiles = ['dekker.rir']\nmodel = 'sc'\n  timeout = 0\n",
            "4:3",
            "--timeout takes",
        ),
        ("[defaults]\nmodel = 3 3\n", "2:9", ""),
        ("[chek]\n", "1:2", "did you mean 'check'?"),
        ("[defaults]\nkeep-going = 'yes'\n", "2:1", "takes true or false"),
        ("[defaults]\nfiles = ['a.c']\n", "2:1", "belongs in [[check]]"),
        ("[[check]]\nsarif = 'a'\n", "2:1", "belongs in [defaults]"),
        ("[[suppress]]\nkind = 'memory'\nfile = 'a.c'\n", "1:1", "needs a string 'reason'"),
        (
            "[[suppress]]\n kind = 'oops'\nfile = 'a.c'\nreason = 'x'\n",
            "2:2",
            "not a kind of error",
        ),
        (
            "[[check]]\nfiles = ['dekker.rir']\nmodel = 'sc'\nunroll-all = true\n",
            "4:1",
            "--unroll-all needs",
        ),
        ("", "1:1", "there is no [[check]]"),
    ] {
        let folder = project("project-mistakes", toml);
        let ran = run(&folder, &[]);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{toml}: {ran:?}");
        let place = format!("raddle.toml:{place}:");
        assert!(ran.err.contains(&place), "{toml}: {}", ran.err);
        assert!(ran.err.contains(words), "{toml}: {}", ran.err);
    }
}

/// Options of C in the defaults are for programs of C; elsewhere they are refused where nothing is compiled.
#[test]
fn defaults_for_compiled_programs_are_for_those() {
    let toml = "[defaults]\nflags = ['-DX']\nmodel = 'sc'\n[[check]]\nfiles = ['dekker.rir']\n";
    assert_eq!(run(&project("project-of-c", toml), &[]).status, Some(0));
    let own = toml.replace("[[check]]", "[[check]]\nflags = ['-DX']");
    assert_eq!(run(&project("project-of-c", &own), &[]).status, Some(2));
}

#[test]
fn one_report_is_about_all_checks() {
    let folder = project("project-report", TWO);
    let ran = run(&folder, &["--junit", "r.xml", "--model", "tso"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let text = fs::read_to_string(folder.join("r.xml")).expect("the report");
    assert_eq!(text.matches("<testsuite ").count(), 2, "{text}");
}

/// The same program twice is told apart by the lines of the checks, and a check that is refused has its line, too.
#[test]
fn checks_are_told_apart() {
    let toml = "\
[defaults]
model = 'sc'
[[check]]
files = ['dekker.rir']
[[check]]
files = ['dekker.rir']
unroll = 2
[[check]]
files = ['dekker.rir']
model = 'tso'
no-check = ['all']
[[check]]
files = ['broken.rir']
";
    let folder = project("project-twins", toml);
    fs::write(folder.join("broken.rir"), "thread P0 = @nothing()\n").expect("a file");
    let ran = run(&folder, &[]);
    let titles = [
        "dekker.rir (raddle.toml:3) under sc: safe",
        "dekker.rir (raddle.toml:5) under sc: safe",
        "dekker.rir under tso: safe",
    ];
    assert_eq!(
        (ran.status, searched(&ran)),
        (Some(2), titles.map(str::to_owned).into()),
        "{ran:?}"
    );
    assert!(ran.err.contains("raddle.toml:12: note: this check was not made"), "{ran:?}");
}
