//! Any bytes as LLVM IR: a diagnostic, or a module that keeps the promises of its data types.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/llvm/tests/common/invariants.rs"]
mod invariants;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(module) = raddle_llvm::parse("fuzz.ll", bytes) {
        invariants::check(&module);
    }
});
