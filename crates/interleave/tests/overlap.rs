//! Accesses that overlap partly: one access may conflict with several accesses that are independent of each
//! other. The oracles do not support this. The reductions must find the states that a search without
//! reduction finds, and `optimal` must find each of its traces once. `RADDLE_LONG=1` runs many more programs.

use crate::MODELS;
use crate::common;
use raddle_engine::{FailureKind, Model, Options, Strategy, Summary};

use common::{failures, program, run, threads};
use fastrand::Rng;
use raddle_interleave::explore;
use raddle_ir::Verified;
use raddle_oracle::campaign::{Comparison, compare_under, same, seeded};

const ITEMS: &str = "global @x: i64\nobserve x = i64 @x";
const REDUCTIONS: [Strategy; 3] = [Strategy::Optimal, Strategy::Source, Strategy::Persistent];

fn states(summary: &Summary) -> Vec<&[u64]> {
    summary.states.iter().map(|(state, _)| state.as_slice()).collect()
}

/// Both reductions find every final state.
fn finds_all_states(program: &Verified) {
    for model in MODELS {
        let all = run(program, model, Strategy::Exhaustive);
        for strategy in REDUCTIONS {
            let found = run(program, model, strategy);
            assert_eq!(states(&found), states(&all), "{} under {model}", strategy.name());
        }
    }
}

/// All reductions visit each trace once.
fn has_all_traces(program: &Verified) {
    for model in MODELS {
        let options =
            Options { strategy: Strategy::Exhaustive, count_traces: true, ..Options::new(model) };
        let traces = explore(program, &options).traces;
        for strategy in REDUCTIONS {
            let executions = run(program, model, strategy).executions;
            assert_eq!(Some(executions), traces, "{} under {model}", strategy.name());
        }
    }
}

fn has_executions(program: &Verified, expected: u64) {
    for model in MODELS {
        for strategy in REDUCTIONS {
            let found = run(program, model, strategy);
            assert_eq!(found.executions, expected, "{} under {model}", strategy.name());
        }
    }
}

/// A store to a word and stores to two of its bytes: each byte is stored before or after the word.
#[test]
fn a_wide_store_races_with_two_narrow_ones() {
    let (wide, first, second) =
        ("store i32 asm @x, 0x02020202", "store i8 asm @x, 1", "store i8 asm @x+1, 3");
    for order in [[wide, first, second], [first, wide, second], [first, second, wide]] {
        let program = threads(ITEMS, &order);
        finds_all_states(&program);
        has_executions(&program, 4);
    }
}

#[test]
fn a_wide_load_races_with_two_narrow_stores() {
    let program =
        threads(ITEMS, &["store i8 asm @x, 1", "store i8 asm @x+1, 1", "%r = load i32 asm @x"]);
    finds_all_states(&program);
    has_executions(&program, 4);
}

/// Two accesses to different parts of an object, each before or after the end of the object.
#[test]
fn a_free_races_with_accesses_to_two_parts() {
    let program = program(
        "thread main = @main()
         func @store(%p: ptr) {
           entry:
             store i8 asm %p, 1
             ret
         }
         func @load(%p: ptr) {
             reg %r: i32
           entry:
             %p = add ptr %p, 4
             %r = load i32 asm %p
             ret
         }
         func @main() {
             reg %p: ptr, %t: i64
           entry:
             %p = malloc 8 zeroed
             %t = spawn @store(%p)
             %t = spawn @load(%p)
             free %p
             ret
         }",
    );
    has_executions(&program, 4);
    for model in MODELS {
        let found = run(&program, model, Strategy::Optimal);
        let expected = [(FailureKind::Memory, 2), (FailureKind::Memory, 2)];
        assert_eq!(failures(&found), expected, "{model}");
    }
}

/// A load that reads some bytes from the thread's own buffer and the others from memory.
#[test]
fn loads_mix_buffered_and_other_bytes() {
    let tables: [&[&str]; 4] = [
        &["store i8 asm @x, 1\n%r = load i32 asm @x", "store i32 asm @x, 0x02020202"],
        &[
            "store i8 asm @x, 1\n%r = load i32 asm @x",
            "store i32 asm @x, 0x02020202",
            "store i8 asm @x+1, 3",
        ],
        &[
            "store i8 asm @x, 1\nstore i16 asm @x+1, 5\n%r = load i32 asm @x",
            "store i32 asm @x, 0x02020202\n%r = load i32 asm @x+2",
        ],
        &[
            "%r = rmw add i32 seq_cst @x, 1\n%s = load i32 asm @x+2",
            "store i8 asm @x+3, 9\n%r = load i32 asm @x",
            "store i64 asm @x, 7",
        ],
    ];
    for bodies in tables {
        finds_all_states(&threads(ITEMS, bodies));
    }
}

/// Neighbouring bytes are independent: one execution.
#[test]
fn neighbours_do_not_conflict() {
    let program = threads(ITEMS, &["store i8 asm @x, 1", "store i8 asm @x+1, 2"]);
    finds_all_states(&program);
    has_executions(&program, 1);
}

/// A load and a store that share one byte: before or after.
#[test]
fn one_common_byte_is_a_conflict() {
    let program = threads(ITEMS, &["%r = load i32 asm @x", "store i32 asm @x+3, 0x01010101"]);
    finds_all_states(&program);
    has_executions(&program, 2);
}

/// Locks and waits at bytes that were set in parts, or as part of a wider store, before the threads that use
/// them were started. The accesses of different sizes are ordered, so this is supported.
#[test]
fn waits_after_ordered_accesses_of_other_sizes_are_exact() {
    for clear in ["store i8 @x, 0\nstore i8 @x+1, 0\nstore i16 @x+2, 0", "store i64 @x, 0"] {
        let program = program(&format!(
            "global @x: i64
             global @n: i32
             observe n = i32 @n
             thread main = @main()
             func @add() {{
                 reg %r: i32
               entry:
                 lock @x
                 %r = load i32 asm @n
                 %r = add i32 %r, 1
                 store i32 asm @n, %r
                 unlock @x
                 ret
             }}
             func @main() {{
                 reg %t: i64
               entry:
                 {clear}
                 %t = spawn @add()
                 %t = spawn @add()
                 %t = spawn @add()
                 ret
             }}"
        ));
        finds_all_states(&program);
        has_executions(&program, 6);
    }
}

/// Unordered accesses of different sizes are not supported, whichever comes first.
#[test]
fn waits_among_accesses_of_other_sizes_are_unsupported() {
    let program = threads(ITEMS, &["store i8 asm @x, 1", "%r = await ne i32 asm @x, 0"]);
    for model in MODELS {
        for strategy in REDUCTIONS {
            let found = run(&program, model, strategy);
            let kinds: Vec<_> = failures(&found).into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(kinds, [FailureKind::Unsupported], "{} under {model}", strategy.name());
        }
    }
}

/// The cells into which memory is split at the time of a store are not part of the trace.
#[test]
fn traces_do_not_depend_on_when_cells_split() {
    let wide = "store i64 asm @x, 38\n%r = load i32 asm @x";
    let program = threads(ITEMS, &["store i64 asm @x, 3", wide]);
    for model in MODELS {
        let options =
            Options { strategy: Strategy::Exhaustive, count_traces: true, ..Options::new(model) };
        assert_eq!(explore(&program, &options).traces, Some(3), "{model}");
    }
    has_executions(&program, 3);
}

/// A load from the buffer reads its own bytes, not all bytes of the store.
#[test]
fn a_served_load_conflicts_with_writes_of_its_bytes() {
    let served = "store i64 asm @x, 50\n%r = load i32 asm @x";
    let stores = "store i32 asm @x+4, 26\nstore i32 asm @x, 10";
    has_all_traces(&threads(ITEMS, &[served, stores, "%r = load i32 asm @x"]));
}

/// If two loads read from one buffered store, the later load does not replace the earlier one.
#[test]
fn each_served_load_has_its_own_bytes() {
    let served = "store i64 asm @x, 50\n%r = load i32 asm @x\n%s = load i32 asm @x+4";
    let other = "store i32 asm @x, 26\n%r = load i32 asm @x+4";
    has_all_traces(&threads(ITEMS, &[served, other]));
}

/// A load from a wide buffered store involves only its own bytes, also after that store has reached memory: an
/// update of the other bytes does not race with it.
#[test]
fn a_served_load_reads_no_more_than_its_bytes() {
    let serving = "store i64 asm @x, 38\nstore i32 asm @x+4, 42\n%r = load i32 asm @x";
    let two = "store i64 asm @x, 38\n%r = load i32 asm @x+4\n%s = load i32 asm @x";
    for (bodies, sc, tso) in [
        ([serving, "store i32 asm @x, 3"], 3, 3),
        ([two, "store i32 asm @x, 3\nstore i32 asm @x+4, 4"], 6, 6),
        ([two, "store i32 asm @x+4, 3"], 3, 3),
    ] {
        let program = threads(ITEMS, &bodies);
        for model in MODELS {
            assert_eq!(visits_each_trace_once(&program, model), Ok(()), "{model}");
        }
        for (model, expected) in [(Model::Sc, sc), (Model::Tso, tso)] {
            assert_eq!(run(&program, model, Strategy::Optimal).executions, expected, "{model}");
        }
    }
}

/// One execution for each trace that a search without reduction finds, and none is abandoned.
fn visits_each_trace_once(program: &Verified, model: Model) -> Comparison {
    let all = Options { strategy: Strategy::Exhaustive, count_traces: true, ..Options::new(model) };
    let (all, found) = (explore(program, &all), run(program, model, Strategy::Optimal));
    same("executions", &(Some(found.executions), found.redundant), &(all.traces, 0))?;
    same("final states", &states(&found), &states(&all))
}

/// An access of a random size at a random place.
fn access(random: &mut Rng) -> String {
    let bits = [8, 16, 32, 32, 64][random.usize(..5)];
    let offset = random.u32(..=(64 - bits) / 8);
    match bits {
        32 if random.bool() => {
            let reg = if random.bool() { "r" } else { "s" };
            format!("%{reg} = load i32 asm @x+{offset}")
        }
        64 if random.bool() => "%t = load i64 asm @x".to_owned(),
        _ => format!("store i{bits} asm @x+{offset}, {}", random.u32(1..100)),
    }
}

fn random_program(seed: u64) -> Verified {
    let mut random = Rng::with_seed(seed);
    let bodies: Vec<String> = (0..random.usize(2..=3))
        .map(|_| {
            let lines: Vec<String> =
                (0..random.usize(1..=3)).map(|_| access(&mut random)).collect();
            lines.join("\n")
        })
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    threads(ITEMS, &bodies)
}

#[test]
fn random_overlaps() {
    compare_under(seeded(150, random_program), &MODELS, visits_each_trace_once);
}
