//! Printing and parsing are inverse to each other on well-formed programs.

use crate::common;

use proptest::prelude::*;
use raddle_ir::text::{ParseOptions, parse_with, print};
use raddle_ir::{Program, verify::errors};
use std::collections::HashSet;

const TABLES_ONLY: ParseOptions = ParseOptions { own_positions: false };

fn comes_back(program: &Program) -> Result<(), TestCaseError> {
    let text = print(program);
    let parsed = parse_with("p.rir", &text, TABLES_ONLY)
        .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    prop_assert!(parsed == *program, "not the same:\n{text}\n{}", print(&parsed));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn generated_programs_come_back(numbers in prop::collection::vec(any::<u64>(), 0..600)) {
        let program = common::program(&numbers);
        prop_assert_eq!(errors(&program), [], "{}", print(&program));
        comes_back(&program)?;
    }
}

/// The generator reaches every opcode, or the test above would prove less than it seems to.
#[test]
fn the_generator_makes_everything() {
    let mut seen = HashSet::new();
    let mut state = 1u64;
    for _ in 0..600 {
        let numbers: Vec<u64> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 11
        })
        .take(400)
        .collect();
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
