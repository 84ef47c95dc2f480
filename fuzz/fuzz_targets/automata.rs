//! Any bytes as automata: a diagnostic, or a program that the verifier accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_front_automata::{lower, parse_bytes};
use raddle_ir::verify;

fuzz_target!(|bytes: &[u8]| {
    let automata = parse_bytes("fuzz.aut", bytes);
    if let Ok(program) = automata.and_then(|automata| lower("fuzz.aut", &automata)) {
        verify(program).expect("the front end's output is well-formed");
    }
});
