//! The final states of the tests of `data`.
//!
//! Each has a `States=` line in its header: the final states of all interleavings, as
//! `0:EAX=0; [x]=1; | ...`. The interpreter that computes them is in `support`.
//!
//! The X86 corpus has reference observations for sequential consistency, which is what the
//! interpreter runs.

use crate::support;

use raddle_front_litmus::{Litmus, load};
use raddle_testing::{Corpus, Reference, files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn data() -> Vec<Litmus> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("the file can be read");
        load(&path.to_string_lossy(), &bytes).unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
    };
    files(&folder, "litmus").iter().map(read).collect()
}

#[test]
fn final_states_are_as_the_header_says() {
    let mut wrong = Vec::new();
    for litmus in data() {
        let line = litmus.metadata.iter().find(|(key, _)| key == "States");
        let (_, states) = line.unwrap_or_else(|| panic!("{} has no States", litmus.name));
        let expected: BTreeSet<String> = states.split('|').map(|s| s.trim().to_owned()).collect();
        let found = support::shown_states(&litmus.program);
        if found != expected {
            let found = found.into_iter().collect::<Vec<_>>().join(" | ");
            wrong.push(format!("{}: expected {states}\n  found {found}", litmus.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn x86_corpus_is_observed_as_the_reference_says() {
    for corpus in Corpus::all("x86") {
        for Reference { test, observation, .. } in corpus.references_of("sc") {
            let litmus = load(&test, &corpus.read(&test)).unwrap_or_else(|error| panic!("{error}"));
            let found = match support::count_witnesses(&litmus.program) {
                (0, _) => "Never",
                (witnesses, all) if witnesses == all => "Always",
                _ => "Sometimes",
            };
            assert_eq!(found, observation, "{test}");
        }
    }
}
