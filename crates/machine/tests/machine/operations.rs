//! The effect of every visible operation, in tables.

use crate::common::{advance, machine, threads};
use raddle_ir::{Access, FenceKind, IntPred, Order, RmwOp, Type};
use raddle_machine::memory::Purpose;
use raddle_machine::visible::{DESTROYED, UNLOCKED, held_by};
use raddle_machine::{
    Change, Ending, FailureKind, Fault, Needs, Stop, StrongStore, ThreadId, Visible,
};

const I32: Type = Type::I32;
const ME: ThreadId = ThreadId(2);

fn store(order: Order) -> Visible {
    Visible::Store { addr: 8, ty: I32, value: 7, access: Access::new(order) }
}

fn load(exclusive: bool, raw: bool) -> Visible {
    Visible::Load {
        addr: 8,
        ty: I32,
        access: Access { exclusive, raw, ..Access::new(Order::Plain) },
    }
}

fn rmw(when: Option<(IntPred, u128)>) -> Visible {
    Visible::Rmw { addr: 8, ty: I32, op: RmwOp::Add, operand: 2, when }
}

const SWAP: Visible = Visible::CmpXchg { addr: 8, ty: I32, expected: 3, new: 9 };
const STORE_COND: Visible = Visible::StoreCond { addr: 8, ty: I32, value: 6 };
const AWAIT: Visible = Visible::Await { addr: 8, ty: I32, pred: IntPred::Ugt, value: 4 };
const LOCK: Visible = Visible::Lock { addr: 8 };
const RELOCK: Visible = Visible::Relock { addr: 8, woken: true };
const ASLEEP: Visible = Visible::Relock { addr: 8, woken: false };
const TRY: Visible = Visible::TryLock { addr: 8 };
const UNLOCK: Visible = Visible::Unlock { addr: 8 };
const ENQUEUE: Visible = Visible::CondEnqueue { addr: 8, mutex: 16 };
const LEAVE: Visible = Visible::CondLeave { addr: 8 };
const SIGNAL: Visible = Visible::Signal { addr: 8 };
const BROADCAST: Visible = Visible::Broadcast { addr: 8 };
const FREE: Visible = Visible::Free { addr: 8, by: Ending::Free };
const FRAME: Visible = Visible::Free { addr: 8, by: Ending::Frame };
const CHOOSE: Visible = Visible::Choose { count: 3 };
const FENCE: Visible = Visible::Fence { kind: FenceKind::CSeqCst };
const JOIN: Visible = Visible::Join { handle: 1 };

#[test]
fn what_is_written_and_given_back() {
    let mine = held_by(ME);
    let cases = [
        (store(Order::Plain), 3, false, Change { new: 7, happens: true, result: 0 }),
        (rmw(None), 3, false, Change { new: 5, happens: true, result: 3 }),
        (rmw(None), 0xffff_ffff, false, Change { new: 1, happens: true, result: 0xffff_ffff }),
        (SWAP, 3, false, Change { new: 9, happens: true, result: 3 }),
        (SWAP, 4, false, Change { new: 9, happens: false, result: 4 }),
        (STORE_COND, 3, true, Change { new: 6, happens: true, result: 0 }),
        (STORE_COND, 3, false, Change { new: 6, happens: false, result: 0 }),
        (LOCK, UNLOCKED, false, Change { new: mine, happens: true, result: 0 }),
        (RELOCK, UNLOCKED, false, Change { new: mine, happens: true, result: 0 }),
        (TRY, UNLOCKED, false, Change { new: mine, happens: true, result: 0 }),
        (TRY, 1, false, Change { new: mine, happens: false, result: 0 }),
        (UNLOCK, mine, false, Change { new: UNLOCKED, happens: true, result: 0 }),
        (load(false, false), 3, false, Change { new: 3, happens: false, result: 3 }),
        (AWAIT, 5, false, Change { new: 5, happens: false, result: 5 }),
        (SIGNAL, 3, false, Change { new: 3, happens: false, result: 3 }),
    ];
    for (visible, old, reserved, change) in cases {
        assert_eq!(visible.change(ME, old, reserved), change, "{visible:?}");
    }
}

#[test]
fn how_operations_touch_memory_and_what_they_wait_for() {
    use Purpose::{Copy, Read, Update, Write};
    // Bytes, purpose; whether the operation waits for an empty buffer if strong stores drain after, and before;
    // whether it always changes memory; a value with which it can continue, and one with which it cannot.
    let some = |bytes: u32| Some((8, bytes));
    type Row = (Visible, Option<(u64, u32)>, Purpose, [bool; 2], bool, Option<(u128, u128)>);
    let cases: [Row; 24] = [
        (load(false, false), some(4), Read, [false; 2], false, None),
        (load(false, true), some(4), Copy, [false; 2], false, None),
        (load(true, false), some(4), Read, [true; 2], false, None),
        (store(Order::Plain), some(4), Write, [false; 2], true, None),
        (store(Order::Release), some(4), Write, [false; 2], true, None),
        (store(Order::SeqCst), some(4), Write, [false, true], true, None),
        (rmw(None), some(4), Update, [true; 2], false, None),
        (rmw(Some((IntPred::Eq, 4))), some(4), Update, [true; 2], false, Some((4, 5))),
        (SWAP, some(4), Update, [true; 2], false, None),
        (STORE_COND, some(4), Write, [true; 2], false, None),
        (AWAIT, some(4), Read, [false; 2], false, Some((5, 4))),
        (LOCK, some(4), Update, [true; 2], false, Some((UNLOCKED, 1))),
        (RELOCK, some(4), Update, [true; 2], false, Some((DESTROYED, 1))),
        (ASLEEP, some(4), Update, [true; 2], false, None),
        (TRY, some(4), Update, [true; 2], false, None),
        (UNLOCK, some(4), Update, [true; 2], false, None),
        (ENQUEUE, some(4), Read, [true; 2], true, None),
        (LEAVE, some(4), Read, [true; 2], false, None),
        (SIGNAL, some(4), Update, [true; 2], true, None),
        (BROADCAST, some(4), Update, [true; 2], true, None),
        (FREE, some(1), Update, [true; 2], true, None),
        (FRAME, some(1), Update, [true; 2], false, None),
        (CHOOSE, None, Update, [false; 2], true, None),
        (FENCE, None, Update, [true; 2], false, None),
    ];
    for (visible, bytes, purpose, drained, is_change, values) in cases {
        assert_eq!(visible.bytes(), bytes, "{visible:?}");
        assert_eq!(visible.purpose(), purpose, "{visible:?}");
        let strong = [StrongStore::DrainsAfter, StrongStore::DrainsBefore];
        assert_eq!(strong.map(|s| visible.needs_empty_buffer(s)), drained, "{visible:?}");
        assert_eq!(visible.is_change(), is_change, "{visible:?}");
        let met = |needs: Needs, value| needs.met_by(value);
        match (visible.needs(), values) {
            (Some((8, needs)), Some((yes, no))) => {
                assert!(met(needs, yes) && !met(needs, no), "{visible:?}");
            }
            (needs, values) => assert!(needs.is_none() && values.is_none(), "{visible:?}"),
        }
    }
    assert!([JOIN, Visible::Spawn, Visible::Format].iter().all(|v| v.bytes().is_none()));
}

#[test]
fn faults_of_operations() {
    use FailureKind::{LockMisuse, Memory, ThreadMisuse, Unsupported};
    let destroyed = "uses a lock that was destroyed";
    let cases = [
        ("lock @d", LockMisuse, destroyed),
        ("%ok = trylock @d", LockMisuse, destroyed),
        ("unlock @d", LockMisuse, destroyed),
        ("cond_wait @c, @d", LockMisuse, destroyed),
        ("unlock @m", LockMisuse, "unlocks a lock that it does not hold"),
        ("cond_wait @c, @m", LockMisuse, "waits on a condition with a lock that it does not hold"),
        ("unlock 0", Memory, "writes 4 bytes through a null pointer"),
        ("lock 0", Memory, "writes 4 bytes through a null pointer"),
        ("cond_signal 0", Memory, "writes 4 bytes through a null pointer"),
        ("join 9", ThreadMisuse, "joins something that is not another thread"),
        ("%t = self\njoin %t", ThreadMisuse, "joins something that is not another thread"),
        ("free @m", Memory, "frees something that is not a heap object"),
        ("%p = malloc 4\nfree %p\nfree %p", Memory, "frees an object twice"),
        ("%t = choose i64 0, 4294967295", Unsupported, "chooses among more than 2147483648 values"),
        (
            "%p = malloc 4\n%r = load i32 asm %p",
            FailureKind::Uninitialised,
            "reads 4 bytes that were never written",
        ),
    ];
    for (body, kind, message) in cases {
        let items = "global @m: i32\nglobal @c: i32\nglobal @d: i32 = -1";
        let program = threads(items, &[body, ""]);
        let found = advance(&mut machine(&program), ThreadId(0), 8);
        assert_eq!(found, Err(Fault::new(kind, message)), "{body}");
    }
}

#[test]
fn operations_that_do_nothing_and_those_that_leave_memory_as_it_is() {
    let items = "global @x: i32 = 3\nglobal @m: i32 = 2";
    // The success of the operation if it is idle; `None` if it is not.
    let cases = [
        ("%r = rmw add i32 asm @x, 0", Some(true)),
        ("%r = rmw add i32 asm @x, 1", None),
        ("%r, %ok = cmpxchg i32 relaxed @x, 4, 5", Some(false)),
        ("%r, %ok = cmpxchg i32 relaxed @x, 3, 3", Some(true)),
        ("%r, %ok = cmpxchg i32 relaxed @x, 3, 5", None),
        ("%ok = trylock @m", Some(false)),
        ("%ok = trylock @x", Some(false)),
        ("store i32 asm @x, 3", None),
        ("%r = rmw add i32 asm @x, 0 when eq 3", None),
    ];
    for (body, idle) in cases {
        let program = threads(items, &[body, ""]);
        let mut machine = machine(&program);
        assert_eq!(machine.run(ThreadId(0)), Stop::Visible);
        let visible = machine.visible(ThreadId(0));
        let found = machine.idle(ThreadId(0), &visible).map(|change| change.happens);
        assert_eq!(found, idle, "{body}");
    }
    let program = threads("global @m: i32", &["free 0", ""]);
    assert_eq!(advance(&mut machine(&program), ThreadId(0), 1), Ok(Stop::Finished));
}

#[test]
fn signals_wake_those_who_wait() {
    let wait = "lock @m\ncond_wait @c, @m\nunlock @m";
    for (signal, left) in [("cond_signal @c", 1), ("cond_broadcast @c", 0)] {
        let program = threads("global @m: i32\nglobal @c: i32", &[wait, wait, signal]);
        let mut machine = machine(&program);
        for thread in [ThreadId(0), ThreadId(1)] {
            // The thread takes the lock, is added to the list of waiters, and releases the lock.
            assert_eq!(advance(&mut machine, thread, 3), Ok(Stop::Visible));
        }
        assert_eq!(machine.run(ThreadId(2)), Stop::Visible);
        let visible = machine.visible(ThreadId(2));
        let addr = visible.bytes().expect("it has an address").0;
        assert_eq!(machine.waiters(addr).count(), 2);
        let alternatives = if left == 1 { 2 } else { 1 };
        assert_eq!(machine.choice_count(ThreadId(2)), alternatives);
        assert_eq!(advance(&mut machine, ThreadId(2), 1), Ok(Stop::Finished));
        assert_eq!(machine.waiters(addr).count(), left);
        assert!(matches!(machine.visible(ThreadId(0)), Visible::Relock { woken: true, .. }));
    }
}
