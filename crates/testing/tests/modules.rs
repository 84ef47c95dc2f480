//! Every test file is a module of a test binary. The compiler does not report a file that no module declares.

use raddle_testing::root;
use std::path::{Path, PathBuf};

/// The `.rs` files below a folder that no module declares.
fn orphans(folder: &Path, owner: &str, found: &mut Vec<PathBuf>) {
    // With any visibility: `mod a;`, `pub mod a;`, `pub(crate) mod a;`.
    let modules = || owner.lines().filter_map(|line| line.split_once("mod "));
    let declares = |stem: &str| modules().any(|(_, module)| module.strip_suffix(';') == Some(stem));
    let entries = std::fs::read_dir(folder).expect("a folder of tests");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let read = |name: &str| std::fs::read_to_string(path.join(name)).ok();
        if path.is_dir() {
            match (read("main.rs"), read("mod.rs")) {
                (Some(program), _) => orphans(&path, &program, found),
                (None, Some(module)) if declares(&stem) => orphans(&path, &module, found),
                (None, Some(_)) => found.push(path),
                (None, None) => {}
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let is_known = stem == "main" || stem == "mod" || declares(&stem);
            found.extend((!is_known).then_some(path));
        }
    }
}

#[test]
fn every_file_of_tests_is_compiled() {
    let (mut found, mut programs) = (Vec::new(), 0);
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let tests = entry.expect("a crate").path().join("tests");
        // Without a `main.rs`, every file is a separate test binary.
        let Ok(program) = std::fs::read_to_string(tests.join("main.rs")) else { continue };
        programs += 1;
        orphans(&tests, &program, &mut found);
    }
    assert!(programs > 5, "only {programs} crates have tests");
    assert!(found.is_empty(), "no test program has {found:?}");
}
