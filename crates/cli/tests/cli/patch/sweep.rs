//! The programs of `tests/c`, each patched and judged again.
//!
//! `RADDLE_LONG=1` runs all programs. Many searches then reach the time limit, and many programs need no
//! fence; neither is a failure.

use super::{answer, apply, patch_of, raddle_in};
use crate::common::{root, scratch};
use raddle_testing::{files, is_long};
use std::path::Path;

const FOLDERS: [&str; 3] = ["programs", "table1", "monitor"];
/// The time limit of one search, in seconds.
const TIMEOUT: &str = "3";
const MODELS: [&str; 3] = ["tso", "pso", "power"];
/// Programs whose fences are found at once: folder, name, model.
const KNOWN: [(&str, &str, &str); 6] = [
    ("programs", "atomic_sb.c", "tso"),
    ("table1", "peterson.c", "tso"),
    ("programs", "atomic_2+2w.c", "pso"),
    ("table1", "dekker.c", "pso"),
    ("programs", "spsc_ring.c", "power"),
    ("monitor", "dekker.c", "power"),
];

/// A copy of the folder, which the patch can be applied to.
fn copied(folder: &str, name: &str) -> std::path::PathBuf {
    let copy = scratch(&format!("patch_sweep_{name}"));
    for entry in std::fs::read_dir(root().join("tests/c").join(folder)).expect("the folder") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().expect("a name");
        if path.is_file() {
            std::fs::copy(&path, copy.join(file)).expect("a copy");
        }
    }
    copy
}

/// Patches one program; returns whether there was something to patch.
fn patched(folder: &Path, program: &str, model: &str, timeout: &str) -> Option<bool> {
    let limit = ["--timeout", timeout];
    let ran = patch_of(folder, &[program], &limit, model)?;
    if ran.out.is_empty() {
        // No answer in time, no fences needed or none that help, or something unsupported.
        let unwritten = "not every fence can be written as an edit";
        assert!(!ran.err.contains(unwritten), "{program} {model}: {}", ran.err);
        return Some(false);
    }
    let check = || {
        let ran =
            raddle_in(folder, &["check", program, "--model", "sc", "--json", "--timeout", "20"]);
        let answer = answer(&ran.out);
        (answer["verdict"].clone(), answer["executions"].clone())
    };
    let before = check();
    apply(folder, &ran.out);
    let again =
        raddle_in(folder, &["fence", program, "--model", model, "--json", "--timeout", "20"]);
    assert_eq!(answer(&again.out)["count"], 0, "{program} {model}: {}\n{again:?}", ran.out);
    assert_eq!(check(), before, "{program} {model}: {}", ran.out);
    Some(true)
}

#[test]
fn known_programs_are_patched() {
    for (folder, program, model) in KNOWN {
        let copy = copied(folder, &format!("known_{program}_{model}"));
        let Some(patched) = patched(&copy, program, model, "60") else { return };
        assert!(patched, "{program} needs a fence under {model}");
    }
}

#[test]
fn all_programs_are_patched() {
    if !is_long() {
        return;
    }
    let mut done = 0;
    for folder in FOLDERS {
        for path in files(&root().join("tests/c").join(folder), "c") {
            let program = path.file_name().expect("a name").to_string_lossy();
            for model in MODELS {
                let copy = copied(folder, &format!("{folder}_{program}_{model}"));
                let Some(patched) = patched(&copy, &program, model, TIMEOUT) else { return };
                done += usize::from(patched);
            }
        }
    }
    assert!(done > KNOWN.len(), "{done} programs have a patch");
}
