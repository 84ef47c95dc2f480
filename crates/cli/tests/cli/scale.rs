//! C programs have one result: with any number of cores, in slices, and killed in the middle.
//!
//! A few of tests/c, once; all of them, 20 times each, with `RADDLE_LONG=1`. Programs whose search takes longer than some seconds are left out, with a
//! note.

use crate::common::{command, compiled, file, raddle, root, scratch};
use crate::jobs::printed;
use crate::keep::{path, solved};
use fastrand::Rng;
use raddle_testing::{files, is_long, note, scaled};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Some of the programs, with names that are different.
fn programs() -> Vec<(String, PathBuf)> {
    let folders = ["programs", "table1", "monitor", "witnesses"];
    let of = |folder: &&str| files(&root().join("tests/c").join(folder), "c");
    let all: Vec<PathBuf> = folders.iter().flat_map(of).collect();
    let step = if is_long() { 1 } else { 23 };
    let named = |(n, path): (usize, PathBuf)| (format!("scale_{n}"), path);
    all.into_iter().enumerate().step_by(step).map(named).collect()
}

#[test]
fn c_programs_have_one_result() {
    let mut random = Rng::with_seed(16);
    let (mut compared, mut left_out) = (0, Vec::new());
    for (name, source) in programs() {
        let text = fs::read(&source).expect("a program");
        let copy = file(&name, "program.c", &text);
        let include = format!("-I{}", source.parent().expect("a folder").display());
        let Some(program) = compiled(&copy, &["-w", &include]) else { return };
        let models: &[&str] = match is_long() {
            true => &["sc", "tso", "pso", "power", "arm"],
            false => &["tso", "power"],
        };
        for model in models {
            let options = ["--model", model, "--keep-going", "--unroll", "4"];
            let check = |more: &[&str]| {
                printed(&[&["check", &program, "--json"][..], &options, more].concat())
            };
            let start = Instant::now();
            let whole = check(&["--jobs", "1", "--timeout", if is_long() { "20" } else { "0.5" }]);
            if whole.1[0]["stopped"] == "time" {
                left_out.push(format!("{} {model}", source.display()));
                continue;
            }
            let taken = start.elapsed();
            for _ in 0..scaled(1, 20) {
                for jobs in ["2", "3", "8"] {
                    let shared = check(&["--jobs", jobs]);
                    assert!(shared == whole, "{} {model} --jobs {jobs}", source.display());
                }
            }
            // In slices.
            let folder = scratch(&format!("{name}_files"));
            let frontier = path(&folder, "whole.raddle");
            let made =
                raddle(&[&["check", &program, "--frontier", &frontier][..], &options].concat());
            assert_eq!(made.status, Some(0), "{made:?}");
            let slice = taken.as_secs_f64() / 20.0;
            let done = solved(&folder, frontier, &slice.to_string(), &mut random, &mut 0);
            let sliced = check(&["--resume", &done]);
            assert!(sliced == whole, "{} {model} in slices", source.display());
            // Killed, and gone on with.
            let kept = path(&folder, "kept.raddle");
            for _ in 0..3 {
                let mut args = vec!["check", &program, "--checkpoint", &kept, "--every", "0.005"];
                args.extend(options);
                if fs::exists(&kept).expect("a folder") {
                    args.extend(["--resume", &kept]);
                }
                let running = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
                let mut running = running.expect("the command starts");
                std::thread::sleep(taken.mul_f64(random.f64()).max(Duration::from_millis(10)));
                running.kill().expect("a process");
                running.wait().expect("it has ended");
            }
            if fs::exists(&kept).expect("a folder") {
                let resumed = check(&["--resume", &kept]);
                assert!(resumed == whole, "{} {model} killed", source.display());
            }
            compared += 1;
        }
    }
    let left_out = left_out.join(", ");
    note(&format!("{compared} programs and models compared; too long for this test: {left_out}"));
    assert!(compared > 5, "{compared} programs");
}
