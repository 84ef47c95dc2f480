//! `--checkpoint`, `--resume` and `raddle slice`: a search that was stopped, killed or divided has the result of one that was not.
//!
//! `RADDLE_LONG=1` kills 300 times instead of a few.

use crate::common::{Ran, command, file, raddle, scratch};
use crate::jobs::{counter, printed, without_costs};
use fastrand::Rng;
use raddle_testing::scaled;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path in UTF-8").to_owned()
}

/// The report of a search that goes on from a file.
fn resumed(program: &str, options: &[&str], kept: &str) -> (Option<i32>, Vec<Value>) {
    printed(&[&["check", program, "--json", "--resume", kept], options].concat())
}

#[test]
fn a_search_that_is_killed_goes_on() {
    let program = counter("keep_killed");
    let folder = scratch("keep_killed_files");
    let mut random = Rng::with_seed(16);
    for options in [["--model", "tso", "--keep-going"], ["--model", "power", "--keep-going"]] {
        let whole = printed(&[&["check", &program, "--json"][..], &options].concat());
        let kept = path(&folder, &format!("{}.raddle", options[1]));
        let (mut saved, mut kills) = (0, 0);
        // On a slow machine, the first ones may be killed before they have begun.
        while kills < scaled(6, 25) || saved < 3 {
            let mut args =
                vec!["check", &program, "--checkpoint", &kept, "--every", "0.001", "--jobs"];
            args.push(["1", "2", "3"][random.usize(0..3)]);
            args.extend(options);
            if fs::exists(&kept).expect("a folder") {
                args.extend(["--resume", &kept]);
                saved += 1;
            }
            let running = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            let mut running = running.expect("the command starts");
            std::thread::sleep(Duration::from_millis(random.u64(0..60) + kills));
            running.kill().expect("a process");
            running.wait().expect("it has ended");
            kills += 1;
        }
        // Whatever was saved, nothing is missing and nothing counted twice.
        assert_eq!(resumed(&program, &options, &kept), whole, "{options:?}");
    }
}

#[test]
fn a_limit_leaves_what_is_left() {
    let program = counter("keep_limit");
    let folder = scratch("keep_limit_files");
    for model in ["sc", "tso", "pso", "power", "arm"] {
        let options = ["--model", model, "--no-check", "assertion"];
        let whole = printed(&[&["check", &program, "--json"][..], &options].concat());
        let kept = path(&folder, &format!("{model}.raddle"));
        let mut most = 200;
        let limited = |args: &[&str], most: u64| -> Ran {
            let most = most.to_string();
            let all = ["check", &program, "--checkpoint", &kept, "--max-executions", &most];
            raddle(&[&all[..], &options, args].concat())
        };
        let mut ran = limited(&[], most);
        while ran.status == Some(3) {
            assert!(ran.err.contains("--resume"), "{ran:?}");
            most += 300;
            ran = limited(&["--resume", &kept], most);
        }
        assert!(most > 200, "{model}: the limit was not met");
        assert_eq!(resumed(&program, &options, &kept), whole, "{model}");
    }
}

/// Slices a frontier until it is done, with its parts in any order. The file with the result.
pub(crate) fn solved(
    folder: &Path,
    frontier: String,
    seconds: &str,
    random: &mut Rng,
    slices: &mut u32,
) -> String {
    let (mut rest, mut missing, mut results) =
        (frontier, Vec::<String>::new(), Vec::<String>::new());
    loop {
        *slices += 1;
        let to = path(folder, &slices.to_string());
        let parts = if *slices < 16 { random.u32(0..4) } else { 0 }.to_string();
        // The first slices are short, so that there are some.
        let time = if *slices < 4 { "0" } else { seconds };
        let mut args = vec!["slice", &rest];
        args.extend(results.iter().map(String::as_str));
        args.extend(["-o", &to, "--seconds", time, "--parts", &parts]);
        let ran = raddle(&args);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let found: Value = serde_json::from_str(&ran.out).expect("JSON");
        rest = name_in(&found["rest"]);
        if found["state"] == "done" {
            return rest;
        }
        missing.extend(found["parts"].as_array().expect("a list").iter().map(name_in));
        random.shuffle(&mut missing);
        let now = match found["state"] == "waiting" {
            true => missing.len(),
            false => random.usize(0..=missing.len()),
        };
        let given: Vec<String> = missing.drain(..now).collect();
        results =
            given.into_iter().map(|part| solved(folder, part, seconds, random, slices)).collect();
    }
}

fn name_in(value: &Value) -> String {
    value.as_str().expect("a name").to_owned()
}

#[test]
fn slices_make_a_search() {
    let program = counter("keep_slices");
    let mut random = Rng::with_seed(4);
    for options in [
        &["--model", "tso", "--keep-going"][..],
        &["--model", "pso", "--strategy=source", "--no-check=assertion"],
        &["--model", "power", "--keep-going"],
    ] {
        let folder = scratch(&format!("keep_slices_{}", options[1]));
        let whole = printed(&[&["check", &program, "--json"][..], options].concat());
        let frontier = path(&folder, "whole.raddle");
        let made = raddle(&[&["check", &program, "--frontier", &frontier][..], options].concat());
        assert_eq!(made.status, Some(0), "{made:?}");
        let mut slices = 0;
        let done = solved(&folder, frontier, "0.1", &mut random, &mut slices);
        assert!(slices > 3, "{slices} slices");
        assert_eq!(resumed(&program, options, &done), whole, "{options:?}");
    }
}

#[test]
fn a_frontier_that_does_not_fit_is_refused() {
    let program = counter("keep_refused");
    let other = file("keep_refused_other", "other.rir", b"global @x: i32\nthread a = @f()\nfunc @f() {\n  entry:\n    store i32 asm @x, 1\n    ret\n}\n");
    let folder = scratch("keep_refused_files");
    let kept = path(&folder, "kept.raddle");
    let stopped = [
        "check",
        &program,
        "--model",
        "tso",
        "--checkpoint",
        &kept,
        "--max-executions",
        "5",
        "--no-check=assertion",
    ];
    let ran = raddle(&stopped);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    let refused = |args: &[&str], why: &str| {
        let ran = raddle(args);
        assert_eq!(ran.status, Some(2), "{args:?}: {ran:?}");
        assert!(ran.err.contains(why), "{args:?}: {ran:?}");
    };
    refused(
        &["check", &other, "--model", "tso", "--no-check=assertion", "--resume", &kept],
        "the program is another one",
    );
    refused(
        &["check", &program, "--model", "pso", "--no-check=assertion", "--resume", &kept],
        "the model is tso there",
    );
    refused(
        &[
            "check",
            &program,
            "--model",
            "tso",
            "--no-check=assertion",
            "--resume",
            &kept,
            "--keep-going",
        ],
        "--keep-going is different",
    );
    refused(
        &[
            "check",
            &program,
            "--model",
            "tso",
            "--no-check=assertion",
            "--unroll",
            "3",
            "--resume",
            &kept,
        ],
        "--unroll",
    );
    refused(&["check", &program, "--model", "tso,pso", "--resume", &kept], "one model");
    refused(
        &["check", &program, "--model", "sc", "--strategy", "lazy", "--checkpoint", &kept],
        "not --strategy lazy",
    );
    // The search that is in the file is not lost.
    refused(&stopped, "which would be lost");
    refused(
        &["check", &program, "--model", "tso", "--no-check=assertion", "--resume", &program],
        "not a frontier",
    );
    refused(&["slice", &kept, &kept, "-o", &path(&folder, "out")], "not of a part that is missing");
    refused(&["slice", "no/such.raddle", "-o", &path(&folder, "out")], "cannot be read");
    // Any damage is seen.
    let bytes = fs::read(&kept).expect("a file");
    let damaged = path(&folder, "damaged.raddle");
    let mut random = Rng::with_seed(1);
    for _ in 0..20 {
        let mut bytes = bytes.clone();
        let at = random.usize(0..bytes.len());
        match random.bool() {
            true => bytes.truncate(at),
            false => bytes[at] ^= 1 << random.u32(0..8),
        }
        fs::write(&damaged, bytes).expect("a file");
        let ran = raddle(&["slice", &damaged, "-o", &path(&folder, "out")]);
        assert_eq!(ran.status, Some(2), "{ran:?}");
    }
    // A result of another search, and one of a part that is not missing.
    let (a, b) = (path(&folder, "a.raddle"), path(&folder, "b.raddle"));
    for (frontier, model) in [(&a, "tso"), (&b, "pso")] {
        raddle(&["check", &program, "--model", model, "--keep-going", "--frontier", frontier]);
    }
    let done = path(&folder, "done");
    raddle(&["slice", &b, "--seconds", "1000", "-o", &done]);
    let result = path(Path::new(&done), "rest.raddle");
    refused(&["slice", &a, &result, "-o", &path(&folder, "out")], "another search");
    refused(&["slice", &kept, "-o", &done, &path(Path::new(&done), "rest.raddle")], "search");
    let parts = path(&folder, "parts");
    raddle(&["slice", &a, "--seconds", "0", "--parts", "1", "-o", &parts]);
    let part = path(Path::new(&parts), "part-1.raddle");
    let solution = path(&folder, "solution");
    raddle(&["slice", &part, "--seconds", "1000", "-o", &solution]);
    let solution = path(Path::new(&solution), "rest.raddle");
    refused(&["slice", &a, &solution, "-o", &path(&folder, "out")], "has no parts");
    refused(
        &[
            "check",
            &program,
            "--model",
            "tso",
            "--keep-going",
            "--resume",
            &path(Path::new(&parts), "rest.raddle"),
        ],
        "whose results are missing",
    );
    // An output must not be an input.
    let inside = PathBuf::from(&parts);
    refused(&["slice", &path(&inside, "rest.raddle"), "-o", &parts], "is the input");
}

#[test]
fn one_line_of_json_tells_of_a_slice() {
    let program = counter("keep_json");
    let folder = scratch("keep_json_files");
    let frontier = path(&folder, "whole.raddle");
    raddle(&["check", &program, "--model", "tso", "--frontier", &frontier]);
    let ran = raddle(&["slice", &frontier, "--seconds", "1000", "-o", &path(&folder, "out")]);
    let mut found: Value = serde_json::from_str(&ran.out).expect("JSON");
    without_costs(&mut found);
    assert_eq!((&found["state"], &found["decided"]), (&"done".into(), &true.into()), "{found}");
    assert_eq!(found["errors"][0]["kind"], "assertion", "{found}");
    assert!(found["executions"].as_u64() > Some(0), "{found}");
}
