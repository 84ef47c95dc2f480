//! Programs, and a machine that runs them under SC.

use raddle_budget::Budget;
use raddle_ir::{Verified, text, verify};
use raddle_machine::memory::Purpose;
use raddle_machine::{Bounds, Change, Fault, Machine, Stop, ThreadId, Unroll, Visible};

pub(crate) const BOUNDS: Bounds =
    Bounds { steps: 1000, unroll: Unroll::NONE, spin: true, budget: Budget::UNLIMITED };

/// Threads `t0`, `t1`, … with these bodies, and other items before them.
pub(crate) fn threads(items: &str, bodies: &[&str]) -> Verified {
    let mut source = format!("{items}\n");
    for (n, body) in bodies.iter().enumerate() {
        source += &format!(
            "thread t{n} = @p{n}()\nfunc @p{n}() {{\n\
             reg %r: i32, %s: i32, %ok: i1, %t: i64, %p: ptr\nentry:\n{body}\nret\n}}\n"
        );
    }
    let program = text::parse("t.rir", &source).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    verify::verify(program).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"))
}

pub(crate) fn machine(program: &Verified) -> Machine<'_> {
    Machine::new(program, BOUNDS).expect("it starts")
}

/// Performs the visible operation that a thread is at, with its first alternative.
pub(crate) fn perform(machine: &mut Machine<'_>, thread: ThreadId) -> Result<(), Fault> {
    let visible = machine.visible(thread);
    if let Some(fault) = machine.lock_fault(thread, &visible) {
        return Err(fault.into());
    }
    let choice = machine.nth_choice(thread, 0);
    match visible {
        Visible::Spawn => return machine.spawn(thread).map(drop),
        Visible::Join { handle } => {
            let target = machine.join_target(thread, handle)?;
            let result = machine.result(target);
            machine.complete(thread, result.into(), true);
            return Ok(());
        }
        Visible::Free { addr, by } => {
            if let Some(slice) = machine.ending(addr, by)? {
                machine.memory.kill(&mut machine.trail, slice.object());
            }
        }
        Visible::Choose { .. } => {
            machine.complete(thread, choice.into(), true);
            return Ok(());
        }
        _ => {}
    }
    let Some((addr, bytes)) = visible.bytes().filter(|_| !matches!(visible, Visible::Free { .. }))
    else {
        machine.complete(thread, 0, true);
        return Ok(());
    };
    let slice = machine.memory.access(&machine.trail, addr, bytes, visible.purpose())?;
    let old = machine.memory.read(&machine.trail, slice);
    let Change { new, happens, result } = visible.change(thread, old, true);
    if happens {
        machine.memory.write(&mut machine.trail, slice, new);
    }
    for woken in machine.woken_by(&visible, choice) {
        machine.wake(woken);
    }
    let reads = matches!(visible.purpose(), Purpose::Read | Purpose::Copy);
    machine.complete(thread, result, happens || reads);
    Ok(())
}

/// Runs a thread and performs `count` visible operations, then runs it to the next one.
pub(crate) fn advance(
    machine: &mut Machine<'_>,
    thread: ThreadId,
    count: usize,
) -> Result<Stop, Fault> {
    for _ in 0..count {
        match machine.run(thread) {
            Stop::Visible => perform(machine, thread)?,
            Stop::Failed => return Err(machine.take_fault().expect("a fault")),
            stop => return Ok(stop),
        }
    }
    match machine.run(thread) {
        Stop::Failed => Err(machine.take_fault().expect("a fault")),
        stop => Ok(stop),
    }
}
