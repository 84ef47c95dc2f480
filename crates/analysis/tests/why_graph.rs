//! The reasons that executions of the graph engine give.

use raddle_analysis::{Cause, Search, Verdict, Why, check};
use raddle_engine::Deed;
use raddle_graph::{Model, Options};
use raddle_ir::{Program, text, verify};

fn example(name: &str) -> Program {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("an example");
    let program = text::parse(name, &source).expect("the program parses");
    verify::verify(&program).expect("the program is well-formed");
    program
}

fn explained(program: &Program, model: Model) -> (Vec<Deed>, Option<Why>) {
    let result = check(program, &Search::from(Options::new(model)));
    assert_eq!(result.verdict, Verdict::Violation);
    let witness = &result.violations[0].witness;
    let deeds = witness.events.iter().map(|event| event.deed.clone()).collect();
    (deeds, witness.why.clone())
}

#[test]
fn a_cycle_is_the_reason_where_there_is_one() {
    for model in [Model::Tso, Model::Power, Model::Arm] {
        let (_, why) = explained(&example("dekker.rir"), model);
        let why = why.expect("a reason");
        assert_eq!(
            why.words,
            "sequential consistency rules this out: P0 wrote flag0 = 1 at dekker.rir:17 and then read \
             flag1 = 0 at dekker.rir:18, missing P1's write flag1 = 1; P1 wrote flag1 = 1 at \
             dekker.rir:17 and then read flag0 = 0 at dekker.rir:18, missing P0's write flag0 = 1; \
             accesses of one thread took effect out of order",
            "{model}"
        );
        assert!(why.causes.iter().all(|cause| matches!(cause, Cause::InCycle { .. })));
    }
}

/// What SC can do as well is told in an order in which loads read what was written last.
#[test]
fn without_a_cycle_the_story_is_in_order() {
    for model in Model::ALL {
        let (deeds, why) = explained(&example("counter.rir"), model);
        let mut memory = 0;
        for deed in deeds {
            match deed {
                Deed::Read { cell, .. } => assert_eq!(cell.value.bits, memory, "{model}"),
                Deed::Write { cell, .. } => memory = cell.value.bits,
                _ => {}
            }
        }
        let causes = why.map(|why| why.causes).unwrap_or_default();
        assert!(!causes.iter().any(|cause| matches!(cause, Cause::InCycle { .. })), "{model}");
    }
}
