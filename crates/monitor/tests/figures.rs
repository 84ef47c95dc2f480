//! The runs of paper 001, section 4, and small variants of them.

use raddle_monitor::Buffers::{PerAddress, PerThread};
use raddle_monitor::log::{self, Trouble};
use raddle_monitor::{Access, Buffers, Causal, Kind, Op, Thread};

/// The violations on a log, each as `store prev access`.
fn violations(text: &str, buffers: Buffers) -> Vec<String> {
    let reading = log::monitor(text.as_bytes(), buffers).expect("a log");
    let site = |site| reading.names.site(site).unwrap_or("-").to_owned();
    let shown = reading.violations.iter().map(|(found, _)| found.sites().map(site).join(" "));
    shown.collect()
}

/// Pushes the accesses of a prepared run, except the last; none of them is a violation.
fn push_all_but_the_last(causal: &mut Causal, run: &[Access]) {
    for n in 0..run.len() - 1 {
        assert_eq!(causal.judge(n), None);
        causal.push(n);
    }
}

const FIGURE_6: &str = "\
1 w a @l1
1 r a @l2
1 r b @l3
2 w b @l4
2 w a @l5
";

#[test]
fn figure_6_has_a_violation() {
    assert_eq!(violations(FIGURE_6, PerThread), ["l1 l4 l5"]);
    assert_eq!(violations(FIGURE_6, PerAddress), ["l1 l4 l5"]);
}

#[test]
fn figure_8_has_none_on_that_run() {
    let run = "1 w a @l1\n1 r b @l2\n2 w a @l3\n3 w b @l4\n3 r a @l5\n";
    assert!(violations(run, PerThread).is_empty());
    assert!(violations(run, PerAddress).is_empty());
    let other = "1 w a @l1\n1 r b @l2\n3 w b @l4\n3 r a @l5\n2 w a @l3\n";
    assert_eq!(violations(other, PerThread), ["l1 l4 l5"]);
}

#[test]
fn the_causal_monitor_finds_it_on_the_run_of_figure_8() {
    let access = |thread, kind, addr| Access {
        thread: Thread(thread),
        op: Op::Access(kind),
        addr,
        bytes: 4,
    };
    let (a, b) = (0, 8);
    let run = [
        access(1, Kind::Write, a),
        access(1, Kind::Read, b),
        access(2, Kind::Write, a),
        access(3, Kind::Write, b),
        access(3, Kind::Read, a),
    ];
    let mut causal = Causal::new(PerThread);
    assert!(causal.prepare(&run));
    push_all_but_the_last(&mut causal, &run);
    let found = causal.judge(4).expect("a violation");
    assert_eq!((found.store, found.thread, found.index), (0, Thread(1), 0));
    // The store of thread 2 is not part of it.
    assert_eq!(causal.past(Thread(3), None), [0, 1, 3]);
}

#[test]
fn figure_6_without_its_first_load_is_store_buffering() {
    let run = "0 w x @a\n0 r y @b\n1 w y @c\n1 r x @d\n";
    assert_eq!(violations(run, PerThread), ["a c d"]);
    for fence in ["f", "u z"] {
        let fenced = format!("0 w x @a\n0 {fence}\n0 r y @b\n1 w y @c\n1 r x @d\n");
        assert!(violations(&fenced, PerThread).is_empty(), "{fence}");
    }
    let barrier = "0 w x @a\n0 b\n0 r y @b\n1 w y @c\n1 r x @d\n";
    assert_eq!(violations(barrier, PerThread).len(), 1);
}

#[test]
fn message_passing_is_for_pso() {
    let run = "0 w data @a\n0 w flag @b\n1 r flag @c\n1 r data @d\n";
    assert!(violations(run, PerThread).is_empty());
    assert_eq!(violations(run, PerAddress), ["a c d"]);
    let ordered = "0 w data @a\n0 b\n0 w flag @b\n1 r flag @c\n1 r data @d\n";
    assert!(violations(ordered, PerAddress).is_empty());
    // Figure 3: an interlocked operation commits its own address only.
    let other = "0 w data @a\n0 u lock\n0 w flag @b\n1 r flag @c\n1 r data @d\n";
    assert_eq!(violations(other, PerAddress).len(), 1);
}

#[test]
fn threads_that_start_and_end_order_and_drain() {
    let run = "0 w x @a\n0 s 1\n1 r x @b\n1 w y @c\n0 j 1\n0 r y @d\n";
    for buffers in [PerThread, PerAddress] {
        assert!(violations(run, buffers).is_empty());
    }
    // The child observes the stores of a third thread through its parent; they may be pending.
    let third = "2 w x @a\n2 r y @b\n0 w y @c\n0 s 1\n1 r x @d\n";
    assert_eq!(violations(third, PerThread), ["a - d"]);
}

#[test]
fn bad_lines_say_what_is_wrong_and_where() {
    let bad = |text: &str| match log::monitor(text.as_bytes(), PerThread) {
        Err(Trouble::Bad(bad)) => (bad.line, bad.column, bad.message),
        other => panic!("{text:?}: {other:?}"),
    };
    assert_eq!(bad("0 r x\n0 q x\n"), (2, 3, "an unknown operation: 'q'".to_owned()));
    assert_eq!(bad("x r y"), (1, 1, "not a thread: 'x'".to_owned()));
    assert_eq!(bad("4096 r y").0, 1);
    assert_eq!(bad("99999999999999999999 r y").0, 1);
    assert_eq!(bad("0 r"), (1, 3, "no address: 'r'".to_owned()));
    assert_eq!(bad("0 r @l"), (1, 5, "no address: '@l'".to_owned()));
    assert_eq!(bad("\n# fine\n0\n").0, 3);
    assert_eq!(bad("0 s 0\n").0, 1);
    assert_eq!(bad("0 s\n").0, 1);
    assert_eq!(bad("0 f x\n").0, 1);
    assert_eq!(bad("0 r x @l y\n").0, 1);
    assert_eq!(bad(&"0".repeat(1 << 19)).0, 1);
}

/// An access to two cells misses a store to one of them because of a load of the other, whose source has left
/// the buffer.
#[test]
fn a_wide_access_comes_after_a_load_of_one_of_its_parts() {
    let access = |thread, kind, addr, bytes| Access {
        thread: Thread(thread),
        op: Op::Access(kind),
        addr,
        bytes,
    };
    let run = [
        access(1, Kind::Write, 0, 2),
        access(1, Kind::Write, 1, 1),
        access(1, Kind::Read, 0, 1),
        access(0, Kind::Write, 0, 2),
    ];
    let mut causal = Causal::new(PerThread);
    if !causal.prepare(&run) {
        assert!(causal.prepare(&run));
    }
    push_all_but_the_last(&mut causal, &run);
    let found = causal.judge(3).expect("a violation");
    assert_eq!((found.index, found.through), (1, Some(2)));
}
