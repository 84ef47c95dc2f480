//! Where no thread runs ahead of a store of its own, no order of the events shows a violation.

use raddle_monitor::{Access, Ahead, Buffers, Causal, Kind, Op, Thread};

const THREADS: u32 = 3;

fn random_access(random: &mut fastrand::Rng) -> Access {
    let thread = Thread(random.u32(..THREADS));
    let op = match random.u32(..10) {
        0..=2 => Op::Access(Kind::Read),
        3..=5 => Op::Access(Kind::Write),
        6 => Op::Access(Kind::Interlocked),
        7 => Op::StoreFence,
        _ => Op::Fence,
    };
    let bytes = if matches!(op, Op::Access(_)) { 4 } else { 0 };
    Access { thread, op, addr: u64::from(random.u32(..3)) * 8, bytes }
}

/// Whether the monitor finds something, and whether it was worth looking.
fn looked(buffers: Buffers, run: &[Access]) -> (bool, bool) {
    let (mut ahead, mut causal) = (Ahead::new(buffers, THREADS), Causal::new(buffers));
    assert!(causal.prepare(run));
    let mut found = false;
    for (n, access) in run.iter().enumerate() {
        ahead.push(access);
        found |= causal.judge(n).is_some();
        causal.push(n);
    }
    (found, ahead.is_found())
}

#[test]
fn nothing_is_found_where_no_thread_runs_ahead() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let run: Vec<Access> =
            (0..random.usize(4..16)).map(|_| random_access(&mut random)).collect();
        for buffers in [Buffers::PerThread, Buffers::PerAddress] {
            match looked(buffers, &run) {
                (true, false) => panic!("{buffers:?}: {run:?}"),
                (true, true) => counts[0] += 1,
                (false, true) => counts[1] += 1,
                (false, false) => counts[2] += 1,
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn taking_back_restores_what_was_known() {
    let access = |thread, op, addr| Access { thread: Thread(thread), op, addr, bytes: 4 };
    let (write, read) = (Op::Access(Kind::Write), Op::Access(Kind::Read));
    let mut ahead = Ahead::new(Buffers::PerThread, 2);
    ahead.push(&access(0, write, 0));
    ahead.push(&access(1, read, 0));
    // What it stored last.
    ahead.push(&access(0, read, 0));
    assert!(!ahead.is_found());
    ahead.push(&access(0, read, 8));
    assert!(ahead.is_found());
    ahead.truncate(1);
    ahead.push(&Access { bytes: 0, ..access(0, Op::Fence, 0) });
    ahead.push(&access(0, read, 8));
    assert!(!ahead.is_found());
}

#[test]
fn a_thread_that_is_alone_overtakes_nobody() {
    let access = |op, bytes| Access { thread: Thread(0), op, addr: 0, bytes };
    let (write, read) = (Op::Access(Kind::Write), Op::Access(Kind::Read));
    let mut ahead = Ahead::new(Buffers::PerThread, 1);
    for op in [write, read] {
        ahead.push(&access(op, 4));
    }
    ahead.push(&access(Op::Spawn(Thread(1)), 0));
    ahead.push(&access(read, 4));
    ahead.push(&access(Op::Join(Thread(1)), 0));
    for op in [write, read] {
        ahead.push(&access(op, 4));
    }
    assert!(!ahead.is_found());
}
