//! Any bytes as automata: a diagnostic, or a program that the verifier accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_ir::verify::verify;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(program) = raddle_front_automata::load("fuzz.aut", bytes) {
        verify(&program).expect("the front end's output is well-formed");
    }
});
