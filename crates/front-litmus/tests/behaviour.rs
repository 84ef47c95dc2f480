//! What the tests of `data` do when they are run.
//!
//! Each has a `States=` line in its header: the final states of all interleavings, as
//! `0:EAX=0; [x]=1; | ...`. The interpreter that computes them is in `support`.

//!
//! The X86 corpus has reference observations for sequential consistency, which is what the
//! interpreter runs.

mod support;

use raddle_front_litmus::{Litmus, load};
use std::collections::BTreeSet;
use std::path::Path;

fn data() -> Vec<Litmus> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the data folder exists")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "litmus"))
        .collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).expect("the file can be read");
        load(&path.to_string_lossy(), &bytes).unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
    };
    files.iter().map(read).collect()
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
fn lowered_programs_are_well_formed() {
    for litmus in data() {
        assert_eq!(raddle_ir::verify::verify(&litmus.program), Ok(()), "{}", litmus.name);
    }
}

#[test]
fn x86_corpus_is_observed_as_the_reference_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus/x86");
    let Ok(results) = std::fs::read_to_string(folder.join("results.tsv")) else {
        println!("no corpus at ../shared/litmus/x86: passed over");
        return;
    };
    let mut compared = 0;
    for line in results.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[test, "sc", observation, _] = fields.as_slice() else { continue };
        let path = folder.join(format!("{test}.litmus"));
        let bytes = std::fs::read(&path).expect("the corpus can be read");
        let litmus = load(test, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let found = match support::count_witnesses(&litmus.program) {
            (0, _) => "Never",
            (witnesses, all) if witnesses == all => "Always",
            _ => "Sometimes",
        };
        assert_eq!(found, observation, "{test}");
        compared += 1;
    }
    println!("{compared} observations compared");
    assert!(compared > 0);
}
