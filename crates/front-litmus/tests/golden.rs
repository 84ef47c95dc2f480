//! The IR that tests of `data` become, against the `.rir` files beside them.
//!
//! A test is compared if it has such a file. `BLESS=1 cargo test -p raddle-front-litmus` rewrites
//! them. The comparison is between programs, positions included, not between texts.

use raddle_front_litmus::load;
use raddle_ir::text::{ParseOptions, parse_with, print};
use std::path::{Path, PathBuf};

fn goldens() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let entries = std::fs::read_dir(folder).expect("the data folder exists");
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "rir"))
        .collect();
    files.sort();
    files
}

#[test]
fn ir_is_as_recorded() {
    let files = goldens();
    assert!(files.len() >= 6, "the recorded programs are missing");
    for golden in files {
        let source = golden.with_extension("litmus");
        let name = source.file_name().expect("a file name").to_string_lossy();
        let bytes = std::fs::read(&source).expect("the test can be read");
        let program = load(&name, &bytes).unwrap_or_else(|error| panic!("{error}")).program;
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&golden, print(&program)).expect("the record can be written");
            continue;
        }
        let text = std::fs::read_to_string(&golden).expect("the record can be read");
        let recorded = parse_with(&name, &text, ParseOptions { own_positions: false })
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(program == recorded, "{name} is now\n{}", print(&program));
    }
}
