//! What the pages of the book say of programs and findings agrees with the tree.

use crate::common::root;
use raddle_engine::FailureKind;
use std::fs;
use std::path::Path;

/// Every file below a folder, as text.
fn texts(folder: &Path, extensions: &[&str], found: &mut Vec<(String, String)>) {
    let entries = fs::read_dir(folder).expect("a folder");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            texts(&path, extensions, found);
        } else if path.extension().is_some_and(|end| extensions.iter().any(|e| end == *e)) {
            let text = fs::read_to_string(&path).expect("a text");
            found.push((path.display().to_string(), text));
        }
    }
}

/// The programs between fences that name C.
fn excerpts(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("\n```c\n").skip(1);
    blocks.map(|block| block.split_once("\n```\n").expect("the fence is closed").0)
}

#[test]
fn excerpts_of_programs_are_in_the_examples() {
    let (mut pages, mut programs) = (Vec::new(), Vec::new());
    texts(&root().join("docs"), &["md"], &mut pages);
    texts(&root().join("examples"), &["c", "h"], &mut programs);
    let mut seen = 0;
    for (path, page) in &pages {
        for excerpt in excerpts(page) {
            seen += 1;
            let is_there = programs.iter().any(|(_, program)| program.contains(excerpt));
            assert!(is_there, "{path}: no example contains\n{excerpt}");
        }
    }
    assert!(seen > 5, "only {seen} excerpts were found");
}

#[test]
fn every_kind_of_finding_is_explained() {
    let page = fs::read_to_string(root().join("docs/findings.md")).expect("the page");
    let kinds = FailureKind::NAMES.iter().map(|(_, name)| format!("`{name}`"));
    let missing: Vec<String> = kinds.filter(|kind| !page.contains(kind)).collect();
    assert!(missing.is_empty(), "not explained: {missing:?}");
}
