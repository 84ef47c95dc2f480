//! Locks, conditions, waiting loads and threads in the operational oracle.

use crate::common;

use common::{program, run};
use raddle_ir::{
    Access, Callee, FenceKind, FunctionBuilder, InstKind, Observed, Operand, Program,
    ProgramBuilder, Type,
};
use raddle_oracle::{Model, Trouble, axiomatic, interleavings};

#[test]
fn critical_sections_exclude_each_other() {
    let section: &[&str] = &["lock m", "x", "x=1", "unlock m"];
    for model in Model::ALL {
        assert_eq!(run(&program(&[section, section]), model).executions, 2);
        assert_eq!(run(&program(&[section, section, section]), model).executions, 6);
    }
}

#[test]
fn locks_are_fences() {
    let threads: &[&[&str]] =
        &[&["x=1", "lock m", "unlock m", "y"], &["y=1", "lock n", "unlock n", "x"]];
    for model in Model::ALL {
        assert_eq!(run(&program(threads), model).executions, 3);
    }
}

#[test]
fn crossed_locks_deadlock_once() {
    let threads: &[&[&str]] = &[
        &["lock m", "lock n", "unlock n", "unlock m"],
        &["lock n", "lock m", "unlock m", "unlock n"],
    ];
    let outcome = run(&program(threads), Model::Sc);
    assert_eq!((outcome.executions, outcome.deadlocks), (3, 1));
}

#[test]
fn a_try_lock_sees_the_mutex_held_or_free() {
    let threads: &[&[&str]] = &[&["lock m", "unlock m"], &["try m"]];
    // The try-lock comes before (the lock then waits forever), in between (it fails), or after.
    let outcome = run(&program(threads), Model::Tso);
    assert_eq!((outcome.executions, outcome.deadlocks), (3, 1));
    let released: &[&[&str]] = &[&["lock m", "unlock m"], &["try{ m", "unlock m", "}"]];
    let outcome = run(&program(released), Model::Tso);
    assert_eq!((outcome.executions, outcome.deadlocks), (3, 0));
}

#[test]
fn failed_try_locks_commute() {
    let threads: &[&[&str]] = &[&["lock m"], &["try m"], &["try m"]];
    // One thread takes the mutex; the others wait or fail, and are not ordered with each other.
    let outcome = run(&program(threads), Model::Sc);
    assert_eq!((outcome.executions, outcome.deadlocks), (3, 2));
}

#[test]
fn unlocking_a_free_mutex_fails() {
    assert_eq!(run(&program(&[&["unlock m"]]), Model::Sc).assertion_failures, 1);
    assert_eq!(run(&program(&[&["wait c m"]]), Model::Sc).assertion_failures, 1);
}

#[test]
fn a_lost_signal_is_a_deadlock() {
    let threads: &[&[&str]] = &[&["lock m", "wait c m", "unlock m"], &["signal c"]];
    let outcome = run(&program(threads), Model::Sc);
    assert_eq!((outcome.executions, outcome.deadlocks), (2, 1));
}

#[test]
fn a_signal_wakes_any_one_waiter_and_a_broadcast_all() {
    let waiter: &[&str] = &["lock m", "wait c m", "unlock m"];
    let signalled = run(&program(&[waiter, waiter, &["signal c"]]), Model::Sc);
    // In every execution, some waiter is never woken.
    assert_eq!(signalled.executions, signalled.deadlocks);
    let broadcast = run(&program(&[waiter, waiter, &["broadcast c"]]), Model::Sc);
    // Both wait (in two orders), then both are woken and take the mutex (in two orders).
    assert_eq!(broadcast.executions - broadcast.deadlocks, 4);
}

#[test]
fn a_waiter_gives_up_the_mutex_while_it_sleeps() {
    let threads: &[&[&str]] =
        &[&["lock m", "wait c m", "x", "unlock m"], &["lock m", "x=1", "signal c", "unlock m"]];
    let outcome = run(&program(threads), Model::Pso);
    assert_eq!((outcome.executions, outcome.deadlocks), (2, 1));
    assert_eq!(Vec::from_iter(outcome.states.into_keys()), [vec![1, 1]]);
}

#[test]
fn an_await_waits_and_may_wait_for_ever() {
    assert_eq!(run(&program(&[&["x=1"], &["await x 1"]]), Model::Tso).executions, 1);
    let outcome = run(&program(&[&["x=1"], &["await x 2"]]), Model::Tso);
    assert_eq!((outcome.executions, outcome.deadlocks), (1, 1));
    // The wait reads the thread's own buffered store.
    assert_eq!(run(&program(&[&["x=1", "await x 1"]]), Model::Tso).deadlocks, 0);
    let outcome = run(&program(&[&["x=1", "x=2"], &["await x 1"]]), Model::Sc);
    assert_eq!((outcome.executions, outcome.deadlocks), (2, 1));
}

#[test]
fn blocked_outweighs_deadlocked() {
    let outcome = run(&program(&[&["x", "assume 1"], &["await x 1"]]), Model::Sc);
    assert_eq!((outcome.executions, outcome.blocked, outcome.deadlocks), (0, 1, 0));
}

/// `main` stores 1 to x, spawns a thread that returns the value of x, and joins it or not.
fn spawning(joins: bool) -> Program {
    let mut builder = ProgramBuilder::new("spawn");
    let x = builder.scalar("x", Type::I64, 0);
    let (ty, addr, access) = (Type::I64, Operand::from(x), Access::ASM);
    let mut child = FunctionBuilder::new("child");
    child.returns(ty);
    let seen = child.reg(None, ty);
    child.push(InstKind::Load { dst: seen, ty, addr, access });
    child.push(InstKind::Store { ty, addr, value: 2.into(), access });
    child.ret(Some(seen.into()));
    let child = builder.function(child.finish());
    let mut main = FunctionBuilder::new("main");
    let (handle, result) = (main.reg(None, ty), main.reg(None, ty));
    main.push(InstKind::Store { ty, addr, value: 1.into(), access });
    main.push(InstKind::Spawn { dst: handle, callee: Callee::Direct(child), args: vec![] });
    if joins {
        main.push(InstKind::Join { dst: Some(result), thread: handle.into() });
    }
    let last = main.reg(None, ty);
    main.push(InstKind::Load { dst: last, ty, addr, access });
    main.ret(None);
    let main = builder.function(main.finish());
    let main = builder.thread("main", main, vec![]);
    builder.observe("result", Observed::Reg(main, result));
    builder.observe("last", Observed::Reg(main, last));
    builder.finish()
}

#[test]
fn spawn_and_join_publish_stores() {
    for model in Model::ALL {
        let joined = run(&spawning(true), model);
        assert_eq!(Vec::from_iter(joined.states), [(vec![1, 2], 1)]);
        let free = run(&spawning(false), model);
        assert_eq!(Vec::from_iter(free.states), [(vec![0, 1], 1), (vec![0, 2], 1)]);
    }
}

#[test]
fn what_an_oracle_cannot_do_it_says() {
    let locks = program(&[&["lock m"]]);
    assert!(matches!(axiomatic::executions(&locks, Model::Sc), Err(Trouble::Unsupported(_))));
    let stores = program(&[&["x=1", "y=1"], &["x=2", "y=2"]]);
    assert_eq!(interleavings::executions(&stores, Model::Sc, 3), Err(Trouble::Budget));
}

/// A loop that never ends and has no memory events.
#[test]
fn endless_loops_are_noticed() {
    let mut builder = ProgramBuilder::new("endless");
    let mut function = FunctionBuilder::new("p0");
    let head = function.block(None);
    function.jump(head);
    function.switch_to(head);
    function.push(InstKind::Fence { kind: FenceKind::Lfence });
    function.jump(head);
    let func = builder.function(function.finish());
    builder.thread("t0", func, vec![]);
    let program = builder.finish();
    assert_eq!(axiomatic::executions(&program, Model::Tso), Err(Trouble::Budget));
    assert_eq!(interleavings::executions(&program, Model::Tso, 1000), Err(Trouble::Budget));
}
