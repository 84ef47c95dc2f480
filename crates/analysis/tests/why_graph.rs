//! The causes of failures in executions of the graph engine.

use raddle_analysis::{Cause, Verdict, Why, check};
use raddle_engine::{Deed, Model, Options, Strategy};
use raddle_ir::{Verified, text};

fn example(name: &str) -> Verified {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("an example");
    text::load(name, source.as_bytes()).expect("the program parses")
}

fn explained(program: &Verified, model: Model) -> (Vec<Deed>, Option<Why>) {
    let result = check(program, &Options::new(model).by(Strategy::Graph));
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
            "sequential consistency rules this out: P1 wrote flag1 = 1 at dekker.rir:17 and then read \
             flag0 = 0 at dekker.rir:18, missing P0's write flag0 = 1; P0 wrote flag0 = 1 at \
             dekker.rir:17 and then read flag1 = 0 at dekker.rir:18, missing P1's write flag1 = 1; \
             accesses of one thread took effect out of order",
            "{model}"
        );
        assert!(why.causes.iter().all(|cause| matches!(cause, Cause::InCycle { .. })));
    }
}

/// The events of an execution that SC allows are in an order in which each load reads the last write.
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

/// As in the interleaving engine: there are no reads here, so there is no cycle.
#[test]
fn a_deadlock_says_who_holds_what_since_where() {
    for model in Model::ALL {
        let (_, why) = explained(&example("deadlock.rir"), model);
        let why = why.expect("a reason");
        assert_eq!(
            why.words,
            "P0 waits at deadlock.rir:15 for lock b, which P1 took at deadlock.rir:14; \
             P1 waits at deadlock.rir:15 for lock a, which P0 took at deadlock.rir:14",
            "{model}"
        );
        assert!(
            why.causes.iter().all(|cause| matches!(cause, Cause::Waits { taken: Some(_), .. }))
        );
    }
}

/// Each thread misses the other's flag and waits for a value that the other does not write. Under SC there
/// would be no deadlock.
#[test]
fn a_deadlock_may_be_due_to_the_memory_model() {
    let thread = |name: &str, own: &str, other: &str| {
        format!(
            "func @{name}() {{\n  reg %v: i32, %c: i1, %w: i32\nentry:\n  store i32 asm @{own}, 1\n  \
             %v = load i32 asm @{other}\n  %c = cmp eq i32 %v, 0\n  br %c, missed, seen\nmissed:\n  \
             %w = await eq i32 asm @{other}, 2\n  ret\nseen:\n  store i32 asm @{own}, 2\n  ret\n}}\n"
        )
    };
    let source = format!(
        "global @x: i32\nglobal @y: i32\nthread P0 = @p()\nthread P1 = @q()\n{}{}",
        thread("p", "x", "y"),
        thread("q", "y", "x")
    );
    let program = text::load("t.rir", source.as_bytes()).expect("the program parses");
    let safe = check(&program, &Options::new(Model::Sc).by(Strategy::Graph));
    assert_eq!(safe.verdict, Verdict::Safe);
    for model in [Model::Tso, Model::Power, Model::Arm] {
        let (_, why) = explained(&program, model);
        let words = why.expect("a reason").words;
        let waits = "P0 waits at t.rir:13 for y to change; P1 waits at t.rir:27 for x to change; ";
        assert!(words.starts_with(waits), "{model}: {words}");
        assert!(words.contains("sequential consistency rules this out: "), "{model}: {words}");
    }
}
