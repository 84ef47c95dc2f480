//! Printing and parsing are inverse to each other on well-formed programs.

use crate::common;

use fastrand::Rng;
use raddle_ir::text::{ParseOptions, parse_with, print};
use raddle_ir::verify::errors;
use raddle_testing::scaled;
use std::collections::HashSet;

const TABLES_ONLY: ParseOptions = ParseOptions { own_positions: false };

/// An error message if the program is not well-formed, or is not the same after printing and parsing.
fn complaint(numbers: &[u64]) -> Option<String> {
    let program = common::program(numbers);
    let text = print(&program);
    let errors = errors(&program);
    if !errors.is_empty() {
        return Some(format!("{errors:?}\n{text}"));
    }
    match parse_with("p.rir", &text, TABLES_ONLY) {
        Err(error) => Some(format!("{error}\n{text}")),
        Ok(parsed) if parsed != program => {
            Some(format!("not the same:\n{text}\n{}", print(&parsed)))
        }
        Ok(_) => None,
    }
}

/// The error message for the shortest sequence that is found by removing parts of a failing one.
fn shrunk(mut numbers: Vec<u64>, mut told: String) -> String {
    let mut part = numbers.len() / 2;
    while part > 0 {
        let mut start = 0;
        while start < numbers.len() {
            let end = (start + part).min(numbers.len());
            let shorter = [&numbers[..start], &numbers[end..]].concat();
            match complaint(&shorter) {
                Some(complaint) => (numbers, told) = (shorter, complaint),
                None => start = end,
            }
        }
        part /= 2;
    }
    told
}

#[test]
fn generated_programs_come_back() {
    for seed in 0..scaled(2000, 40) {
        let mut random = Rng::with_seed(seed);
        let numbers: Vec<u64> = (0..random.usize(0..600)).map(|_| random.u64(..)).collect();
        if let Some(told) = complaint(&numbers) {
            panic!("seed {seed}: {}", shrunk(numbers, told));
        }
    }
}

/// The generator must reach every opcode, or the test above would show less than it claims.
#[test]
fn the_generator_makes_everything() {
    let mut seen = HashSet::new();
    let mut random = Rng::with_seed(1);
    for _ in 0..600 {
        let numbers: Vec<u64> = (0..400).map(|_| random.u64(..)).collect();
        let program = common::program(&numbers);
        for block in program.funcs.values().flat_map(|f| f.blocks.values()) {
            let kinds = block.insts.iter().map(|inst| format!("{:?}", inst.kind));
            for kind in kinds.chain([format!("{:?}", block.term.kind)]) {
                seen.insert(kind.split([' ', '(', '{']).next().unwrap_or_default().to_owned());
            }
        }
    }
    let all = "Bin Un Cmp Cast Select Move Call Alloca Malloc Free Load Store Rmw CmpXchg StoreCond \
               Fence Spawn Join SelfId ThreadExit Yield Lock TryLock Unlock CondWait CondSignal \
               CondBroadcast Await Assume Assert Choose Unsupported Fail Halt Format Extent Jump Branch Switch \
               Return Unreachable";
    let missing: Vec<_> = all.split_whitespace().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
}
