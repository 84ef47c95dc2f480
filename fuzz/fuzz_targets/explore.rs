//! Any bytes as a program that is searched a little under every model: the machine must not
//! panic whatever a well-formed program does, and no count may exceed its limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_engine::{Budget, Engine, Limits, Options};
use raddle_interleave::explore;
use raddle_ir::text;
use std::time::Duration;

const EXECUTIONS: u64 = 20;

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = text::load("fuzz.rir", bytes) else { return };
    // The command refuses programs without threads, which are well-formed.
    if program.threads.is_empty() {
        return;
    }
    for model in Engine::Interleave.models() {
        let limits = Limits {
            executions: Some(EXECUTIONS),
            budget: Budget::new(Some(Duration::from_millis(200)), None),
            events: 200,
            local_steps: 2_000,
            ..Limits::default()
        };
        let options = Options { limits, keep_going: true, ..Options::new(model) };
        let summary = explore(&program, &options);
        assert!(summary.executions <= EXECUTIONS);
    }
});
