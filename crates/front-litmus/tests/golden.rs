//! The IR of the tests of `data`, compared with the `.rir` files beside them.
//!
//! A test is compared if it has such a file; `RADDLE_BLESS=1` rewrites these files. Programs are compared,
//! including positions, not texts.

use raddle_front_litmus::load;
use raddle_ir::text::{ParseOptions, parse_with, print};
use raddle_testing::{files, golden_by};
use std::path::Path;

#[test]
fn ir_is_as_recorded() {
    let records = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), "rir");
    assert!(records.len() >= 6, "the recorded programs are missing");
    for record in records {
        let source = record.with_extension("litmus");
        let name = source.file_name().expect("a file name").to_string_lossy();
        let bytes = std::fs::read(&source).expect("the test can be read");
        let program = load(&name, &bytes).unwrap_or_else(|error| panic!("{error}")).program;
        golden_by(&record, &print(&program), |text| {
            let program = parse_with(&name, text, ParseOptions { own_positions: false });
            print(&program.unwrap_or_else(|error| panic!("{error}")))
        });
    }
}
