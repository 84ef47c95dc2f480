//! The families of paper 004: the goals are unreachable under SC and reachable under TSO, and the number of
//! queries for the loop does not depend on its length.

use raddle_bench::automata::{diamond, lamport, long_loop};
use raddle_engine::{Checks, Model, Options, Strategy};
use raddle_reach::{Answer, reach};

/// Whether the goal is reached, and the number of queries.
fn asked(source: &str, model: Model) -> (bool, u32) {
    let program = raddle_front_automata::load("f.aut", source.as_bytes()).expect("well-formed");
    let checks = Checks { goals: true, ..Checks::default() };
    let options = Options { checks, ..Options::new(model).by(Strategy::Lazy) };
    let found = reach(&program, &options);
    match found.answer {
        Answer::Reachable(_) => (true, found.effort.queries),
        Answer::Unreachable => (false, found.effort.queries),
        Answer::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn goals_need_relaxed_memory() {
    let long = raddle_testing::is_long();
    let sources = [lamport(2), lamport(if long { 4 } else { 3 }), diamond(5), diamond(50)];
    for source in sources.into_iter().chain([long_loop(3), long_loop(20)]) {
        assert!(!asked(&source, Model::Sc).0, "{source}");
        assert!(asked(&source, Model::Tso).0, "{source}");
    }
}

#[test]
fn a_longer_loop_takes_no_more_queries() {
    let queries = [5, 10, 50].map(|n| asked(&long_loop(n), Model::Tso).1);
    assert!(queries.iter().all(|n| *n == queries[0]), "{queries:?}");
}
