//! What happens along a schedule, in words.
//!
//! A step is described from what the thread was about to do before it and the event it became. In
//! between, threads do things that are no events but matter to a reader; those are read off the
//! machine's undo log ([`raddle_machine::Passed`]), in the order in which they happened. That is
//! also where the source position of a buffered store is known, for when it reaches memory.

use crate::api::{FailureKind, Step};
use crate::buffer::Entry;
use crate::event::{Class, Condition, Event};
use crate::model::{Barrier, Buffering};
use crate::outcome::{awaited, waiting};
use crate::replay::ReplayEvent;
use crate::system::{System, field};
use raddle_ir::inst::Mnemonic;
use raddle_ir::{LocId, Program, Type};
use raddle_machine::{Mark, Passed, PassedOp, ThreadId, Visible, layout};

pub(crate) struct Narrator {
    pub events: Vec<ReplayEvent>,
    /// Up to where the undo log is told.
    told: Mark,
    /// How many failures are told.
    failures: usize,
    /// For each thread, where its buffered stores are in the source, by their number.
    stores: Vec<Vec<LocId>>,
}

/// A step that is about to be performed.
pub(crate) struct Before {
    thread: ThreadId,
    loc: LocId,
    doing: Doing,
}

enum Doing {
    /// An operation, and what the thread would see at its address.
    Operation(Visible, Option<u128>),
    Update(Entry),
}

impl Narrator {
    /// Tells what threads do before the first step.
    pub fn new(system: &System<'_>) -> Narrator {
        let mut narrator =
            Narrator { events: Vec::new(), told: Mark::START, failures: 0, stores: Vec::new() };
        narrator.catch_up(system);
        narrator
    }

    /// Looks at a step that can happen, before it does.
    pub fn before(&self, system: &System<'_>, step: &Step) -> Before {
        let thread = ThreadId(step.thread);
        let trail = &system.machine.trail;
        let leaving = step.update.and_then(|store| {
            system.process(thread).buffer.oldest_first(trail).find(|entry| entry.index == store)
        });
        match leaving {
            Some(entry) => {
                let loc = self.store_loc(thread, entry.index);
                Before { thread, loc, doing: Doing::Update(entry) }
            }
            None => {
                let visible = system.machine.visible(thread);
                let seen = match visible {
                    Visible::Load { addr, ty, .. } | Visible::Await { addr, ty, .. } => {
                        system.value_seen(thread, addr, ty.bytes())
                    }
                    _ => None,
                };
                let loc = system.machine.loc(thread);
                Before { thread, loc, doing: Doing::Operation(visible, seen) }
            }
        }
    }

    /// Tells of a step that was performed, and of what threads went on to do.
    pub fn after(&mut self, system: &System<'_>, before: &Before) {
        let what = match (&before.doing, system.events.last()) {
            (Doing::Update(entry), _) => {
                let stored = assignment(system.machine.program, entry);
                format!("{stored} reaches memory from the store buffer")
            }
            (Doing::Operation(visible, seen), Some(event)) => {
                describe(system, event, *visible, *seen)
            }
            (Doing::Operation(..), None) => return,
        };
        self.tell(system, before.thread, before.loc, what);
        self.catch_up(system);
    }

    /// Tells, at the end of a deadlock, who waits for what.
    pub fn deadlock(&mut self, system: &System<'_>) {
        for thread in waiting(system) {
            let what = format!("waits for {}, for ever", awaited(system, thread));
            self.tell(system, thread, system.machine.loc(thread), what);
        }
    }

    fn tell(&mut self, system: &System<'_>, thread: ThreadId, loc: LocId, what: String) {
        let thread = system.machine.thread_name(thread).to_owned();
        self.events.push(ReplayEvent { thread, what, loc });
    }

    fn store_loc(&self, thread: ThreadId, store: u32) -> LocId {
        let stores = self.stores.get(thread.0 as usize);
        let loc = stores.and_then(|stores| stores.get(store as usize));
        loc.copied().unwrap_or(LocId::NONE)
    }

    /// Tells what was done without an event, and what failed.
    fn catch_up(&mut self, system: &System<'_>) {
        let passed = system.machine.passed(self.told);
        self.told = system.machine.mark();
        self.stores.resize(system.machine.thread_count() as usize, Vec::new());
        for (n, op) in passed.iter().enumerate() {
            let Some(mut what) = self.passed(system, op) else { continue };
            let is_last = passed[n + 1..].iter().all(|later| later.thread != op.thread);
            if is_last && system.get(op.thread, field::DRAINING) != 0 {
                what.push_str(" and waits until the store buffer is empty");
            }
            self.tell(system, op.thread, op.loc, what);
        }
        for failed in &system.failures[self.failures..] {
            let what = match failed.fault.kind.into() {
                FailureKind::Assertion => format!("assertion fails: {}", failed.fault.message),
                _ => format!("fails: {}", failed.fault.message),
            };
            self.tell(system, failed.thread, failed.loc, what);
        }
        self.failures = system.failures.len();
    }

    /// What an operation without an event did; `None` if it does nothing under the model.
    fn passed(&mut self, system: &System<'_>, passed: &Passed) -> Option<String> {
        match passed.op {
            // Without buffers a store is an event.
            PassedOp::Store if system.buffering == Buffering::None => None,
            PassedOp::Store => {
                let stores = &mut self.stores[passed.thread.0 as usize];
                let number = stores.len() as u32;
                stores.push(passed.loc);
                let buffer = &system.process(passed.thread).buffer;
                let mut entries = buffer.oldest_first(&system.machine.trail);
                let entry = entries.find(|entry| entry.index == number)?;
                let stored = assignment(system.machine.program, &entry);
                Some(format!("{stored} goes into the store buffer"))
            }
            PassedOp::Fence(kind) => match system.model.fence(kind) {
                Barrier::Nothing => None,
                Barrier::StoreStore | Barrier::Drain => {
                    Some(format!("comes to a fence ({})", kind.mnemonic()))
                }
            },
            PassedOp::Spawn(child) => Some(format!("starts {}", system.machine.thread_name(child))),
            PassedOp::Join => Some("joins a thread that has ended".to_owned()),
        }
    }
}

/// What an event of a thread itself did.
fn describe(system: &System<'_>, event: &Event, visible: Visible, seen: Option<u128>) -> String {
    let action = &event.action;
    let program = system.machine.program;
    let at = name_of(program, action.addr);
    let value = |value: u128| shown(program, value, action.bytes);
    let now = || value(system.in_memory(action.addr, action.bytes.min(16)).unwrap_or(0));
    if matches!(event.condition, Condition::Unless(_)) {
        return format!("accesses {at}");
    }
    match visible {
        Visible::Load { .. } | Visible::Await { .. } => {
            let from = if action.forwarded > 0 { " (from its own store buffer)" } else { "" };
            format!("reads {at} = {}{from}", value(seen.unwrap_or(0)))
        }
        Visible::Store { .. } => format!("writes {at} = {}", now()),
        Visible::Rmw { .. } => {
            format!("updates {at} from {} to {} atomically", value(event.old), now())
        }
        Visible::CmpXchg { expected, .. } => {
            let old = value(event.old);
            match action.class {
                Class::Write => format!("exchanges {at} from {old} to {}", now()),
                _ => {
                    let expected = value(expected);
                    format!("finds {at} = {}, not {expected}, and does not exchange it", now())
                }
            }
        }
        Visible::StoreCond { .. } => match action.class {
            Class::Write => format!("writes {at} = {} conditionally", now()),
            _ => format!("fails to write {at}: its reservation is lost"),
        },
        Visible::Lock { .. } => format!("locks {at}"),
        Visible::Relock { .. } => format!("wakes up and locks {at}"),
        Visible::TryLock { .. } => match action.class {
            Class::Write => format!("locks {at}"),
            _ => format!("finds {at} locked"),
        },
        Visible::Unlock { .. } => format!("unlocks {at}"),
        Visible::CondEnqueue { .. } => format!("starts to wait for {at}"),
        Visible::Signal { .. } => match action.choice {
            0 => format!("signals {at}; nobody waits"),
            waiter => {
                let waiter = system.machine.thread_name(ThreadId(waiter as u32 - 1));
                format!("signals {at} and wakes {waiter}")
            }
        },
        Visible::Broadcast { .. } => format!("wakes all that wait for {at}"),
        Visible::Free { .. } => format!("ends the object {at}"),
        Visible::Choose { .. } => format!("chooses alternative {}", action.choice),
        Visible::Fence { .. } => "passes a fence".to_owned(),
        Visible::Spawn => "starts a thread".to_owned(),
        Visible::Join { .. } => "joins a thread".to_owned(),
    }
}

/// `x = 1`
fn assignment(program: &Program, entry: &Entry) -> String {
    let value = shown(program, entry.value, entry.bytes);
    format!("{} = {value}", name_of(program, entry.addr))
}

/// A value as people write it: a signed number, or the name of what it points to.
fn shown(program: &Program, value: u128, bytes: u32) -> String {
    let pointee = (bytes == 8).then(|| global_at(program, value as u64)).flatten();
    if let Some(name) = pointee {
        return format!("&{name}");
    }
    let shift = 128 - Type::Int((bytes.clamp(1, 16) * 8) as u8).bits();
    (((value << shift) as i128) >> shift).to_string()
}

/// How the program calls an address.
fn name_of(program: &Program, addr: u64) -> String {
    let known = global_at(program, addr);
    known.unwrap_or_else(|| match layout::split_address(addr) {
        Some((object, 0)) => format!("object {}", object.0),
        Some((object, offset)) => format!("object {}+{offset}", object.0),
        None => format!("{addr:#x}"),
    })
}

fn global_at(program: &Program, addr: u64) -> Option<String> {
    let (object, offset) = layout::split_address(addr)?;
    let name = &program.globals.values().nth(object.0 as usize)?.name;
    Some(if offset == 0 { name.clone() } else { format!("{name}+{offset}") })
}
