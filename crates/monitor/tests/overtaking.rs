//! If no thread runs ahead of its own store, or no other thread can observe it, no order of the events shows
//! a violation.

use raddle_monitor::{Access, Buffers, Causal, Kind, Op, Overtaking, Thread};

const THREADS: u32 = 3;
const READ: Op = Op::Access(Kind::Read);
const WRITE: Op = Op::Access(Kind::Write);
const LOCKED: Op = Op::Access(Kind::Interlocked);

fn access(thread: u32, op: Op, addr: u64) -> Access {
    let bytes = if matches!(op, Op::Access(_)) { 4 } else { 0 };
    Access { thread: Thread(thread), op, addr, bytes }
}

fn push(overtaking: &mut Overtaking, run: &[Access]) {
    for access in run {
        overtaking.step();
        overtaking.push(access);
    }
}

fn random_access(random: &mut fastrand::Rng) -> Access {
    let thread = random.u32(..THREADS);
    let op = match random.u32(..10) {
        0..=2 => READ,
        3..=5 => WRITE,
        6 => LOCKED,
        7 => Op::StoreFence,
        _ => Op::Fence,
    };
    access(thread, op, u64::from(random.u32(..3)) * 8)
}

/// A run in which threads usually take a lock, and not always the same one.
fn random_sections(random: &mut fastrand::Rng) -> Vec<Access> {
    let mut run = Vec::new();
    for _ in 0..random.usize(2..6) {
        let (thread, lock) = (random.u32(..THREADS), 100 + 8 * u64::from(random.u32(..8) / 7));
        let locked = random.u32(..8) > 0;
        let mut lock_or_unlock = |op| {
            if locked {
                run.push(access(thread, Op::Fence, 0));
                run.push(access(thread, op, lock));
            }
        };
        lock_or_unlock(LOCKED);
        // A plain store may release a lock.
        let leave = if random.bool() { LOCKED } else { WRITE };
        let within: Vec<Access> = (0..random.usize(1..5))
            .map(|_| access(thread, if random.bool() { READ } else { WRITE }, random.u64(..4) * 4))
            .collect();
        run.extend(within);
        if locked {
            if leave == LOCKED {
                run.push(access(thread, Op::Fence, 0));
            }
            run.push(access(thread, leave, lock));
        }
    }
    run
}

/// A random access of any size.
fn random_bytes(random: &mut fastrand::Rng) -> Access {
    let any = random_access(random);
    match any.op {
        Op::Access(_) => {
            let bytes = 1 << random.u32(..5);
            Access { bytes, addr: random.u64(..20) / u64::from(bytes) * u64::from(bytes), ..any }
        }
        _ => any,
    }
}

/// Whether the monitor finds a violation, and whether the run had to be monitored.
fn looked(buffers: Buffers, run: &[Access]) -> (bool, bool) {
    let (mut overtaking, mut causal) = (Overtaking::new(buffers, THREADS), Causal::new(buffers));
    causal.prepare(run);
    causal.prepare(run);
    let mut found = false;
    for (n, access) in run.iter().enumerate() {
        overtaking.step();
        overtaking.push(access);
        found |= causal.judge(n).is_some();
        causal.push(n);
    }
    (found, overtaking.is_found())
}

/// The number of runs with a violation, of monitored runs without one, and of runs that were skipped.
fn compare(seed: u64, mut make: impl FnMut(&mut fastrand::Rng) -> Vec<Access>) -> [usize; 3] {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let run = make(&mut random);
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
    counts
}

#[test]
fn nothing_is_found_where_no_thread_runs_ahead() {
    compare(7, |random| (0..random.usize(4..16)).map(|_| random_access(random)).collect());
}

#[test]
fn nothing_is_found_where_a_lock_is_between() {
    let [_, looked, passed] = compare(8, random_sections);
    assert!(passed > 4 * looked, "{looked} {passed}");
}

#[test]
fn nothing_is_found_in_parts_of_words() {
    compare(9, |random| (0..random.usize(4..16)).map(|_| random_bytes(random)).collect());
}

#[test]
fn taking_back_restores_what_was_known() {
    let mut random = fastrand::Rng::with_seed(10);
    for _ in 0..2_000 {
        let mut overtaking = Overtaking::new(Buffers::PerThread, THREADS);
        let mut run = Vec::new();
        for _ in 0..8 {
            let kept = random.usize(..=run.len());
            overtaking.truncate(kept);
            run.truncate(kept);
            let more = random_sections(&mut random);
            push(&mut overtaking, &more);
            run.extend(more);
            let mut fresh = Overtaking::new(Buffers::PerThread, THREADS);
            push(&mut fresh, &run);
            assert_eq!(overtaking.is_found(), fresh.is_found(), "{run:?}");
        }
    }
}

#[test]
fn who_runs_ahead_is_found_when_another_follows() {
    let mut overtaking = Overtaking::new(Buffers::PerThread, 2);
    push(&mut overtaking, &[access(0, WRITE, 0), access(1, READ, 0)]);
    // The thread reads its own last store.
    push(&mut overtaking, &[access(0, READ, 0)]);
    assert!(!overtaking.is_exposed());
    push(&mut overtaking, &[access(0, READ, 8)]);
    assert!(overtaking.is_exposed() && !overtaking.is_found());
    assert!(!overtaking.would(&access(1, READ, 8)) && overtaking.would(&access(1, WRITE, 8)));
    push(&mut overtaking, &[access(1, READ, 8)]);
    assert!(!overtaking.is_found());
    push(&mut overtaking, &[access(1, WRITE, 8)]);
    assert!(overtaking.is_found());
    overtaking.truncate(1);
    push(&mut overtaking, &[access(0, Op::Fence, 0), access(0, READ, 8), access(1, WRITE, 8)]);
    assert!(!overtaking.is_exposed());
}

#[test]
fn a_thread_that_is_alone_overtakes_nobody() {
    let mut overtaking = Overtaking::new(Buffers::PerThread, 1);
    let alone = [access(0, WRITE, 0), access(0, READ, 8)];
    push(&mut overtaking, &alone);
    push(&mut overtaking, &[access(0, Op::Spawn(Thread(1)), 0)]);
    push(&mut overtaking, &[access(0, READ, 0), access(0, Op::Join(Thread(1)), 0)]);
    push(&mut overtaking, &alone);
    assert!(!overtaking.is_exposed());
}

#[test]
fn what_is_not_followed_is_found() {
    // More threads than the maximum, and a very long access.
    for after in [access(40, WRITE, 8), Access { bytes: 2000, ..access(1, WRITE, 64) }] {
        let mut overtaking = Overtaking::new(Buffers::PerThread, 2);
        push(&mut overtaking, &[access(0, WRITE, 0), access(0, READ, 8)]);
        assert!(!overtaking.is_found());
        push(&mut overtaking, &[after]);
        assert!(overtaking.is_found());
    }
}
