//! `raddle fence --patch`: sources are patched with `patch` and `git apply`, and then judged again.
//!
//! | module | subject |
//! |---|---|
//! | [`shapes`] | shapes of C |
//! | [`cpp`] | shapes of C++ |
//! | [`files`] | file names, folders, headers, line endings, compiler options |
//! | [`layout`] | the layout of edits |
//! | [`sweep`] | the programs of `tests/c` |

mod cpp;
mod files;
mod layout;
mod shapes;
mod sweep;

use crate::common::{Ran, command, lacks_clang, root, scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two threads that store to one variable and load the other; the second has its fence.
const PROGRAM: &str = "#include <pthread.h>
int x, y, v, w;
void *left(void *p)
{
    x = 1;
    v = y;
    return p;
}
void *right(void *p) { y = 1; __atomic_thread_fence(5); w = x; return p; }
int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    return 0;
}
";

fn answer(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A folder with these files.
fn written(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(&format!("patch_{name}"));
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a scratch file");
    }
    folder
}

/// Runs the command in a folder, so that its arguments are file names without a path.
fn raddle_in(folder: &Path, args: &[&str]) -> Ran {
    command(args).current_dir(folder).output().expect("the command starts").into()
}

/// Returns `None` and prints a note if there is no clang.
fn patch_of(folder: &Path, sources: &[&str], options: &[&str], model: &str) -> Option<Ran> {
    let args = [&["fence", "--patch", "--model", model], sources, options].concat();
    Some(raddle_in(folder, &args)).filter(|ran| !lacks_clang(ran))
}

/// Applies a patch in a folder. `git apply` and `patch` both accept it, without offset or fuzz.
fn apply(folder: &Path, patch: &str) {
    let diff = folder.join("fences.patch");
    std::fs::write(&diff, patch).expect("a patch");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(folder).env("GIT_CEILING_DIRECTORIES", root());
        let ran = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{program}: {ran:?}\n{patch}");
        assert!(!said.contains("offset") && !said.contains("fuzz"), "{program}: {said}\n{patch}");
    };
    run("git", &["apply", "--check", "fences.patch"]);
    run("patch", &["-p1", "--no-backup-if-mismatch", "-i", "fences.patch"]);
}

/// The patch of a program. The patched program needs no fences, and has the same verdict and number of
/// executions under SC as before.
fn leaves_nothing(
    folder: &Path,
    sources: &[&str],
    options: &[&str],
    model: &str,
) -> Option<String> {
    let ran = patch_of(folder, sources, options, model)?;
    let shown = folder.display();
    assert_eq!(ran.status, Some(0), "{shown}: {ran:?}");
    let verdict = || {
        let args = [&["check", "--json", "--model", "sc"], sources, options].concat();
        let answer = answer(&raddle_in(folder, &args).out);
        (answer["verdict"].clone(), answer["executions"].clone())
    };
    let before = verdict();
    if !ran.out.is_empty() {
        apply(folder, &ran.out);
    }
    let args = [&["fence", "--json", "--model", model], sources, options].concat();
    let again = raddle_in(folder, &args);
    assert_eq!(answer(&again.out)["count"], 0, "{shown}: {}\n{again:?}", ran.out);
    assert_eq!(before, verdict(), "{shown}: {}", ran.out);
    Some(ran.out)
}
