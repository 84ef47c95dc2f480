//! Results of engines: how executions are counted, and how objects and threads are named.

use raddle_engine::{
    BoundKind, Datum, End, Failure, FailureKind, FailureSite, Ignored, Limits, Model, Need,
    Options, Step, Stopped, Tally, Waiter,
};
use raddle_ir::{LocId, Program, text};
use raddle_machine::{ThreadId, Unroll};

fn program(items: &str) -> Program {
    let source =
        format!("global @x: i32\nthread t = @f()\nfunc @f() {{\nentry:\nret\n}}\n{items}\n");
    text::parse("t.rir", &source).unwrap_or_else(|error| panic!("{error:?}"))
}

fn site(kind: FailureKind, loc: u32, against: u32, message: &str) -> FailureSite {
    let place = |n: u32| if n == 0 { LocId::NONE } else { LocId(n) };
    FailureSite {
        kind,
        thread: "t".to_owned(),
        loc: place(loc),
        shown: place(loc),
        against: place(against),
        message: message.to_owned(),
        waiters: Vec::new(),
    }
}

/// A deadlock of one thread that waits for the end of another.
fn deadlock(other: &str) -> FailureSite {
    let need = Need::End(Some(other.to_owned()));
    let waiter = Waiter { thread: "t".to_owned(), need };
    FailureSite { waiters: vec![(waiter, None)], ..site(FailureKind::Deadlock, 1, 0, "waits") }
}

fn options(keep_going: bool) -> Options {
    Options { keep_going, ..Options::new(Model::Sc) }
}

#[test]
fn an_error_that_is_ignored_decides_nothing() {
    let ignored = Ignored { kinds: vec![FailureKind::Deadlock], ..Ignored::default() };
    let mut tally = Tally::new(&program(""), &Options { ignored, ..options(false) });
    tally.failed(site(FailureKind::Deadlock, 1, 0, "waits"), no_schedule);
    assert!(!tally.is_decided());
    tally.failed(site(FailureKind::Memory, 1, 0, "reads"), no_schedule);
    assert!(tally.is_decided());
    assert_eq!(tally.finish(None).failures.len(), 2);
}

fn no_schedule() -> Vec<Step> {
    Vec::new()
}

#[test]
fn executions_are_counted_by_their_end() {
    let mut tally = Tally::new(&program(""), &options(true));
    let ends = [
        End::Complete,
        End::Blocked,
        End::Cut(BoundKind::Events, LocId(3)),
        End::Cut(BoundKind::Events, LocId(3)),
        End::Cut(BoundKind::Events, LocId(4)),
        End::Endless(LocId(3)),
        End::Failed(vec![site(FailureKind::Assertion, 1, 0, "no")]),
    ];
    for end in ends {
        tally.count(end, |_| panic!("nothing is observed"), no_schedule);
    }
    assert_eq!(tally.explored(), 7);
    let summary = tally.finish(Some(Stopped::Time));
    assert_eq!((summary.executions, summary.blocked, summary.cut), (3, 1, 3));
    let bounds: Vec<_> = summary.bounds.iter().map(|b| (b.kind, b.loc.0, b.count)).collect();
    let expected =
        [(BoundKind::Events, 3, 2), (BoundKind::Events, 4, 1), (BoundKind::Endless, 3, 1)];
    assert_eq!(bounds, expected);
    assert_eq!(summary.stopped, Some(Stopped::Time));
}

/// Pairs of failures: `true` if they are the same error and are counted together.
#[test]
fn failures_that_are_one_error_are_counted_together() {
    use FailureKind::{Assertion, Memory, Race};
    let cases = [
        (site(Assertion, 1, 0, "a"), site(Assertion, 1, 0, "b"), true),
        (site(Assertion, 1, 0, "a"), site(Assertion, 2, 0, "a"), false),
        (site(Assertion, 1, 0, "a"), site(Memory, 1, 0, "a"), false),
        (site(Memory, 0, 0, "a"), site(Memory, 0, 0, "b"), false),
        (site(Memory, 0, 0, "a"), site(Memory, 0, 0, "a"), true),
        (deadlock("a"), deadlock("b"), false),
        (deadlock("a"), deadlock("a"), true),
        (site(Race, 1, 2, "a"), site(Race, 2, 1, "b"), true),
        (site(Race, 1, 2, "a"), site(Race, 1, 3, "a"), false),
        (site(Race, 1, 0, "a"), site(Race, 1, 0, "b"), false),
    ];
    for (first, second, same) in cases {
        let mut tally = Tally::new(&program(""), &options(true));
        tally.count(End::Failed(vec![first.clone(), second.clone()]), |_| {}, no_schedule);
        let counts = |tally: &Tally| -> Vec<u64> {
            tally.summary.failures.iter().map(|failure| failure.count).collect()
        };
        // If two threads of an execution show the same error, the execution counts once.
        assert_eq!(counts(&tally), if same { vec![1] } else { vec![1, 1] }, "{first:?} {second:?}");
        tally.count(End::Failed(vec![second]), |_| {}, no_schedule);
        assert_eq!(counts(&tally), if same { vec![2] } else { vec![1, 2] });
    }
}

#[test]
fn a_failure_decides_unless_all_are_asked_for_or_it_is_a_limit_of_ours() {
    let cases = [
        (FailureKind::Assertion, false, Some(Stopped::Failure)),
        (FailureKind::Assertion, true, None),
        (FailureKind::Unsupported, false, None),
    ];
    for (kind, keep_going, stopped) in cases {
        let mut tally = Tally::new(&program(""), &options(keep_going));
        tally.failed(site(kind, 1, 0, "a"), no_schedule);
        assert_eq!(tally.is_decided(), stopped.is_some());
        assert_eq!(tally.finish(None).stopped, stopped);
    }
}

#[test]
fn final_states_are_in_order_with_a_witness_where_one_can_be_wrong() {
    let observed = "observe x = i32 @x";
    for (condition, judges) in [("", false), ("exists x == 1", false), ("forall x == 1", true)] {
        let program = program(&format!("{observed}\n{condition}"));
        let mut tally = Tally::new(&program, &options(true));
        for (n, value) in [2, 1, 2].into_iter().enumerate() {
            let step = Step::Run(ThreadId(n as u32));
            tally.count(End::Complete, |state| state.push(value), || vec![step]);
        }
        let summary = tally.finish(None);
        assert_eq!(summary.states, [(vec![1], 1), (vec![2], 2)]);
        let first: Vec<u32> = summary.witnesses.iter().map(|steps| steps[0].thread().0).collect();
        assert_eq!(first, if judges { vec![1, 0] } else { vec![] }, "{condition}");
    }
}

#[test]
fn names_are_those_of_reports() {
    let kinds = [
        (FailureKind::Assertion, "assertion"),
        (FailureKind::Memory, "memory"),
        (FailureKind::LockMisuse, "lock-misuse"),
        (FailureKind::DivisionByZero, "division-by-zero"),
        (FailureKind::Unreachable, "unreachable"),
        (FailureKind::ThreadMisuse, "thread-misuse"),
        (FailureKind::Uninitialised, "uninitialised"),
        (FailureKind::Abort, "abort"),
        (FailureKind::Unsupported, "unsupported"),
    ];
    for (kind, name) in kinds {
        assert_eq!(kind.name(), name);
    }
    assert_eq!(
        [FailureKind::Deadlock, FailureKind::Race].map(FailureKind::name),
        ["deadlock", "race"]
    );
    assert!(BoundKind::STOPS.iter().all(|(_, bound)| bound.hides()));
    assert!(!BoundKind::Endless.hides());
}

#[test]
fn a_failure_and_its_site_say_the_same() {
    let site = site(FailureKind::Memory, 4, 0, "reads 4 bytes of a dead object");
    let failure: Failure = site.clone().shown_by(3, no_schedule());
    assert_eq!((failure.count, failure.site), (3, site));
}

#[test]
fn limits_are_the_machines_bounds() {
    let limits = Limits { local_steps: 7, spin: false, ..Limits::default() };
    let bounds = limits.bounds();
    assert_eq!((bounds.steps, bounds.spin, bounds.unroll), (7, false, Unroll::NONE));
}

#[test]
fn numbers_are_signed_while_they_are_small() {
    let cases = [
        (0, 4, "0"),
        (0xffff_ffff, 4, "-1"),
        (0xffff_ffff, 8, "0xffffffff"),
        (1 << 31, 8, "2147483648"),
        (0x80, 1, "-128"),
        (0xdead_beef_0000, 8, "0xdeadbeef0000"),
        (u128::MAX, 16, "-1"),
    ];
    for (bits, bytes, shown) in cases {
        assert_eq!(Datum::number(bits, bytes).to_string(), shown, "{bits:#x} in {bytes}");
    }
}
