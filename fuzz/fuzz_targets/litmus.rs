//! Any bytes as a litmus test: a diagnostic, or a program that the verifier accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_front_litmus::{lower, parse_bytes};
use raddle_ir::verify;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(program) = parse_bytes("fuzz.litmus", bytes).and_then(|test| lower(&test)) {
        verify(program).expect("the front end's output is well-formed");
    }
});
