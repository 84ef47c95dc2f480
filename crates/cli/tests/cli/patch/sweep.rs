//! The programs of `tests/c`, each patched and judged again.
//!
//! Of many programs, the search does not end within the time that they are given here; they count as
//! passed over. `RADDLE_LONG=1` takes all programs, otherwise every so many.

use super::{answer, apply, patch_of, raddle_in};
use crate::common::{root, scratch};
use raddle_testing::{files, is_long};
use std::path::Path;

const FOLDERS: [&str; 3] = ["programs", "table1", "monitor"];
/// Seconds for one search.
const TIMEOUT: &str = "3";
const MODELS: [&str; 3] = ["tso", "pso", "power"];
/// Of the ordinary run, each of these is one program under one model.
const STEP: usize = 31;

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

/// Patches one program; whether there was something to patch.
fn patched(folder: &Path, program: &str, model: &str) -> Option<bool> {
    let limit = ["--timeout", TIMEOUT];
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
fn programs_of_the_project_are_patched() {
    let all = FOLDERS.iter().flat_map(|folder| {
        let path = root().join("tests/c").join(folder);
        let sources = files(&path, "c");
        let names = sources.into_iter().filter_map(|path| path.file_name().map(ToOwned::to_owned));
        names.map(move |name| (*folder, name.to_string_lossy().into_owned()))
    });
    let all = all.flat_map(|(folder, name)| MODELS.map(|model| (folder, name.clone(), model)));
    let step = if is_long() { 1 } else { STEP };
    let (mut tried, mut done) = (0, 0);
    for (folder, program, model) in all.step_by(step) {
        let copy = copied(folder, &format!("{folder}_{program}_{model}"));
        let Some(patched) = patched(&copy, &program, model) else { return };
        tried += 1;
        done += usize::from(patched);
    }
    eprintln!("{done} of {tried} programs patched");
    assert!(done * 8 >= tried, "{done} of {tried} programs have a patch");
}
