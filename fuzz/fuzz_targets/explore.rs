//! Any bytes as a program that is searched a little under every model: the machine must not
//! panic whatever a well-formed program does, and no count may exceed its limit.
#![no_main]

use raddle_engine::{Budget, Limits, Model, Options};
use libfuzzer_sys::fuzz_target;
use raddle_interleave::{explore};
use raddle_ir::{text, verify::verify};
use std::time::Duration;

const EXECUTIONS: u64 = 20;

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = text::parse_bytes("fuzz.rir", bytes) else { return };
    // The command refuses programs without threads, which are well-formed.
    if verify(&program).is_err() || program.threads.is_empty() {
        return;
    }
    for model in Model::ALL {
        let limits = Limits {
            executions: Some(EXECUTIONS),
            budget: Budget::new(Some(Duration::from_millis(200)), None),
            events: 200,
            local_steps: 2_000,
            unroll: Default::default(),
            spin: true,
        };
        let options = Options { limits, keep_going: true, ..Options::new(model) };
        let summary = explore(&program, &options);
        assert!(summary.executions <= EXECUTIONS);
    }
});
