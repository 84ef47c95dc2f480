//! Any bytes as IR text: a program or a diagnostic, and what a well-formed program prints reads
//! back and prints the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_ir::text;

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = text::load("fuzz.rir", bytes) else { return };
    let printed = text::print(&program);
    let again = text::parse_bytes("again.rir", printed.as_bytes()).expect("own output reads back");
    assert_eq!(printed, text::print(&again));
});
