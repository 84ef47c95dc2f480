//! Execution counts, compared with a closed form or the literature if one is known, and otherwise with a
//! search without reduction that counts distinct traces.

use crate::MODELS;
use raddle_bench::catalogue::FAMILIES;
use raddle_bench::{atomics, cells, locks};
use raddle_engine::{Model, Options, Strategy, Summary};
use raddle_interleave::explore;
use raddle_ir::Verified;

fn searched(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    let count_traces = strategy == Strategy::Exhaustive;
    let options = Options { strategy, count_traces, keep_going: true, ..Options::new(model) };
    explore(program, &options)
}

/// Both reductions visit each trace once, and `optimal` abandons no execution.
fn has_traces(program: &Verified, model: Model, expected: u64) {
    let name = &program.name;
    for strategy in [Strategy::Optimal, Strategy::Source] {
        let summary = searched(program, model, strategy);
        assert!(summary.failures.is_empty(), "{name} {model}: {:?}", summary.failures);
        // A retry that has no effect is a separate trace, which is stopped there.
        let visited = summary.executions + summary.blocked;
        assert_eq!(visited, expected, "{name} under {model}, {}", strategy.name());
        if strategy == Strategy::Optimal {
            assert_eq!(summary.redundant, 0, "{name} under {model}");
        }
    }
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn writers_have_one_trace_per_coherence_order() {
    for model in MODELS {
        for n in 1..=6 {
            has_traces(&cells::writers(n), model, factorial(n.into()));
        }
    }
}

#[test]
fn each_reader_reads_one_of_two_values() {
    for model in MODELS {
        for n in [1, 2, 5, 8, 12] {
            has_traces(&cells::readers(n), model, 1 << n);
        }
    }
}

#[test]
fn lastzero() {
    for model in [Model::Sc, Model::Tso] {
        has_traces(&cells::lastzero(5), model, 64);
        has_traces(&cells::lastzero(10), model, 3_328);
    }
}

#[test]
fn lastzero_of_fifteen() {
    for model in [Model::Sc, Model::Tso] {
        let summary = searched(&cells::lastzero(15), model, Strategy::Optimal);
        assert_eq!((summary.executions, summary.redundant), (147_456, 0), "{model}");
    }
}

#[test]
fn fib_bench() {
    let program = cells::fib_bench(5);
    for (model, expected) in [(Model::Sc, 218_243), (Model::Tso, 525_630), (Model::Pso, 525_630)] {
        let summary = searched(&program, model, Strategy::Optimal);
        assert!(summary.failures.is_empty(), "{model}: {:?}", summary.failures);
        assert_eq!((summary.executions, summary.redundant), (expected, 0), "{model}");
    }
}

#[test]
fn increments_have_one_trace_per_order() {
    for model in MODELS {
        for n in 1..=6 {
            has_traces(&atomics::increments(n), model, factorial(n.into()));
        }
    }
}

/// Which attempts succeed depends on the order of all earlier ones. There is no closed form, but the `n!`
/// orders are few enough to try them all.
#[test]
fn chains_of_compare_and_swap() {
    for model in MODELS {
        for n in 1..=6 {
            let program = atomics::casrot(n);
            let all = searched(&program, model, Strategy::Exhaustive);
            has_traces(&program, model, all.traces.expect("the search counts traces"));
        }
    }
}

#[test]
fn the_indexer_has_no_collisions_up_to_eleven_threads() {
    for model in MODELS {
        has_traces(&atomics::indexer(11), model, 1);
    }
}

#[test]
fn each_further_thread_of_the_indexer_collides_three_times() {
    for model in MODELS {
        for n in 12..=14 {
            has_traces(&atomics::indexer(n), model, 1 << (3 * (n - 11)));
        }
    }
}

#[test]
fn the_stack_has_one_trace_per_order_of_critical_sections() {
    for model in MODELS {
        has_traces(&locks::stack(3), model, factorial(6) / 8);
        has_traces(&locks::locks(3), model, factorial(6) / 8);
    }
}

#[test]
fn every_program_has_the_traces_that_a_search_without_reduction_finds() {
    for family in FAMILIES {
        let program = (family.build)(family.tiny);
        for model in MODELS {
            let all = searched(&program, model, Strategy::Exhaustive);
            let traces = all.traces.expect("the search counts traces");
            has_traces(&program, model, traces);
        }
    }
}
