//! Programs for tests, and the checks that every answer of the engine must pass.

use raddle_engine::{
    Coverage, Engine, Failure, FailureKind, Model, Options, ReplayEnd, Strategy, Summary,
};
use raddle_interleave::{explore, replay};
use raddle_ir::{Verified, text};
use raddle_oracle::{self as oracle, Outcome, axiomatic, interleavings};

/// The file name in positions of test programs.
pub(crate) const FILE: &str = "test.rir";
/// The number of interleavings that the search without reduction may visit.
const INTERLEAVINGS: u64 = 200_000;
/// The number of states that the operational oracle may visit.
const BUDGET: u64 = 200_000;

/// The registers of every thread of [`threads`].
const REGISTERS: [(&str, &str); 6] =
    [("r", "i32"), ("s", "i32"), ("ok", "i1"), ("t", "i64"), ("u", "i64"), ("p", "ptr")];

/// A program in the IR's text form.
pub(crate) fn program(source: &str) -> Verified {
    text::load(FILE, source.as_bytes()).unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

/// Threads `t0`, `t1`, … with the given bodies, and other items. Registers are `%r`, `%s` (`i32`),
/// `%ok` (`i1`), `%t`, `%u` (`i64`) and `%p` (`ptr`); those of `i32` and `i1` that a thread assigns
/// are observed. A body without a terminator returns.
pub(crate) fn threads(items: &str, bodies: &[&str]) -> Verified {
    program(&threads_source(items, bodies))
}

/// The text of [`threads`].
pub(crate) fn threads_source(items: &str, bodies: &[&str]) -> String {
    let mut source = format!("{items}\n");
    for (n, body) in bodies.iter().enumerate() {
        source += &format!("thread t{n} = @p{n}()\n");
        for (name, ty) in REGISTERS {
            if matches!(ty, "i32" | "i1") && assigns(body, name) {
                source += &format!("observe \"{n}:{name}\" = t{n} %{name}\n");
            }
        }
        let declared = REGISTERS.map(|(name, ty)| format!("%{name}: {ty}")).join(", ");
        let end = if body.contains("\nret") || body.ends_with("ret") { "" } else { "ret\n" };
        source += &format!("func @p{n}() {{\nreg {declared}\nentry:\n{body}\n{end}}}\n");
    }
    source
}

fn assigns(body: &str, register: &str) -> bool {
    let target = format!("%{register}");
    let targets = body.lines().filter_map(|line| Some(line.split_once(" = ")?.0));
    targets.flat_map(|targets| targets.split(',')).any(|found| found.trim() == target)
}

pub(crate) fn run(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.count_traces = true;
    options.limits.executions = Some(INTERLEAVINGS);
    explore(program, &options)
}

/// The answer of the optimal search, after a check that
/// - it abandons no execution, and counts each trace once;
/// - all other reductions (Source-DPOR, persistent sets) give the same answer;
/// - a search without reduction finds the same number of traces, the same states and the same failures;
/// - the oracles, if they support the program's constructs, count the same;
/// - every failure's schedule replays to that failure.
pub(crate) fn checked(program: &Verified, model: Model) -> Summary {
    let optimal = run(program, model, Strategy::Optimal);
    assert_eq!(optimal.stopped, None, "{model}");
    assert_eq!(optimal.redundant, 0, "{model}: {optimal:?}");
    assert_eq!(optimal.traces, Some(optimal.executions + optimal.blocked), "{model}");
    let complete = Strategy::ALL.into_iter().filter(|strategy| {
        strategy.engine() == Engine::Interleave && strategy.coverage() != Coverage::Sample
    });
    for strategy in complete.filter(|strategy| *strategy != Strategy::Exhaustive) {
        let other = run(program, model, strategy);
        assert_eq!(answer(&other), answer(&optimal), "{strategy:?} and optimal under {model}");
    }
    let all = run(program, model, Strategy::Exhaustive);
    assert_eq!(all.stopped, None, "{model}: too large for a search without reduction");
    assert_eq!(all.traces, optimal.traces, "traces of all interleavings under {model}");
    assert_eq!(state_set(&all), state_set(&optimal), "{model}");
    assert_eq!(failure_set(&all), failure_set(&optimal), "{model}");
    if let Some(expected) = by_oracles(program, model) {
        assert_eq!(as_outcome(&optimal, program), expected, "the oracles differ under {model}");
    }
    for failure in &optimal.failures {
        replays(program, model, failure);
    }
    optimal
}

type Answer = (u64, u64, Vec<(Vec<u64>, u64)>, Vec<(FailureKind, String, String, u64)>);

fn answer(summary: &Summary) -> Answer {
    let known = |f: &Failure| (f.kind, f.thread.clone(), f.message.clone(), f.count);
    let mut failures: Vec<_> = summary.failures.iter().map(known).collect();
    failures.sort();
    (summary.executions, summary.blocked, summary.states.clone(), failures)
}

fn state_set(summary: &Summary) -> Vec<&[u64]> {
    summary.states.iter().map(|(state, _)| state.as_slice()).collect()
}

fn failure_set(summary: &Summary) -> Vec<(FailureKind, &str, &str)> {
    let mut failures: Vec<_> =
        summary.failures.iter().map(|f| (f.kind, f.thread.as_str(), f.message.as_str())).collect();
    failures.sort();
    failures
}

fn replays(program: &Verified, model: Model, failure: &Failure) {
    let replayed = replay(program, &Options::new(model), &failure.schedule);
    let ReplayEnd::Failed(sites) = &replayed.end else { panic!("{failure:?}: {replayed:?}") };
    let site = failure.site.clone();
    assert!(sites.contains(&site), "{site:?} replays to {sites:?}");
}

/// `None` if the oracles do not have the model: a test of the graph engine fails then.
pub(crate) fn oracle_model(model: Model) -> Option<oracle::Model> {
    oracle::Model::named(model.name())
}

/// The outcome of the oracles, which must agree; `None` if neither supports the program's constructs.
pub(crate) fn by_oracles(program: &Verified, model: Model) -> Option<Outcome> {
    let model = oracle_model(model)?;
    let operational = interleavings::executions(program, model, BUDGET).ok();
    let axiomatic = axiomatic::executions(program, model).ok();
    if let (Some(one), Some(other)) = (&operational, &axiomatic) {
        assert_eq!(one, other, "the oracles disagree under {model}");
    }
    operational.or(axiomatic)
}

/// The engine's answer in the form of the oracles.
fn as_outcome(summary: &Summary, program: &Verified) -> Outcome {
    let count = |deadlock: bool| {
        let counted =
            summary.failures.iter().filter(|f| (f.kind == FailureKind::Deadlock) == deadlock);
        counted.map(|failure| failure.count).sum::<u64>()
    };
    let deadlocks = count(true);
    let complete: u64 = summary.states.iter().map(|(_, count)| count).sum();
    // An execution with two failures is counted once among the executions that are not complete.
    let failed = match program.observables.is_empty() {
        true => count(false),
        false => summary.executions - complete - deadlocks,
    };
    let mut states: std::collections::BTreeMap<_, _> = summary.states.iter().cloned().collect();
    if program.observables.is_empty() && summary.executions > deadlocks + failed {
        states.insert(Vec::new(), summary.executions - deadlocks - failed);
    }
    Outcome {
        executions: summary.executions,
        blocked: summary.blocked,
        deadlocks,
        assertion_failures: failed,
        states,
    }
}

/// Kind and number of executions of each failure, in order.
pub(crate) fn failures(summary: &Summary) -> Vec<(FailureKind, u64)> {
    let mut found: Vec<_> = summary.failures.iter().map(|f| (f.kind, f.count)).collect();
    found.sort();
    found
}

/// Whether some execution ends in these values of the observables.
pub(crate) fn ends_in(summary: &Summary, state: &[u64]) -> bool {
    summary.states.iter().any(|(found, _)| found == state)
}
