//! Any bytes as a litmus test: a diagnostic, or a program that the verifier accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_ir::verify::verify;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(litmus) = raddle_front_litmus::load("fuzz.litmus", bytes) {
        verify(&litmus.program).expect("the front end's output is well-formed");
    }
});
