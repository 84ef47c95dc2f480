//! The operational oracle: all interleavings of a simple machine, told apart by their traces.
//!
//! `sc`: stores go to memory at once. `tso`: each thread has one FIFO buffer of stores, which leave
//! it one by one in steps of their own. `pso`: the buffer is FIFO for each place, and a store may
//! not overtake one that stands before a store-store barrier. A load takes the newest store to its
//! place from the thread's own buffer, or reads memory.
//!
//! Buffers may be bounded: a store then waits while its thread's buffer (`pso`: the stores of its
//! thread to its place) holds so many. With room for none a store goes to memory at once.
//!
//! Fences, read-modify-writes, compare-and-swaps (failed ones too), lock, condition, spawn and join
//! operations wait until the thread's buffer is empty. A mutex is four bytes of memory: 0 is free.
//! Waiting on a condition is three events: enter its queue, release the mutex, and, once woken,
//! take the mutex again. A signal wakes any one waiter (each is explored) or does nothing.
//!
//! The search clones the whole world at every step. A world holds the whole history that led to
//! it, in a form that does not depend on the order of independent steps (see [`world`]); a world
//! met before is not searched again, which cannot lose a trace.
//!
//! Not covered: allocation, accesses that overlap without being of the same bytes.

mod access;
mod sync;
mod world;

use crate::layout::{Extent, Places};
use crate::local::{Context, End, Thread};
use crate::outcome::{Model, Outcome, Trouble, observe};
use raddle_ir::{InstKind, Program, Reg};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use world::{Event, ThreadName, World};

/// Visible instructions of one thread before giving up: a program that loops for ever must neither
/// fill memory nor, should a round of the loop leave no event, go unnoticed.
const STEPS: usize = 64;

/// Every distinct trace of `program`; [`Trouble::Budget`] after `budget` distinct worlds.
pub fn executions(program: &Program, model: Model, budget: u64) -> Result<Outcome, Trouble> {
    bounded(program, model, usize::MAX, budget)
}

/// The same where buffers have room for so many stores.
pub fn bounded(
    program: &Program,
    model: Model,
    room: usize,
    budget: u64,
) -> Result<Outcome, Trouble> {
    let cx = Context::new(program)?;
    let mut machine = Machine { cx: &cx, model, room, places: Places::default() };
    let first = Rc::new(World::new(&cx)?);
    let mut seen = FxHashSet::from_iter([Rc::clone(&first)]);
    let mut open = vec![first];
    let mut traces = FxHashSet::default();
    let mut outcome = Outcome::default();
    while let Some(world) = open.pop() {
        let next = machine.steps(&world)?;
        if next.is_empty() && traces.insert(world.trace()) {
            outcome.count(&world.ends(), || final_state(&cx, &world));
        }
        for world in next.into_iter().map(Rc::new) {
            if seen.insert(Rc::clone(&world)) {
                open.push(world);
            }
        }
        if seen.len() as u64 > budget {
            return Err(Trouble::Budget);
        }
    }
    Ok(outcome)
}

fn final_state(cx: &Context, world: &World) -> Vec<u64> {
    let threads: Vec<&Thread> = world.initial_threads(cx.program.threads.len());
    observe(cx.program, &cx.layout, &threads, &world.memory())
}

struct Machine<'c, 'p> {
    cx: &'c Context<'p>,
    model: Model,
    room: usize,
    places: Places,
}

/// The worlds that one step leads to; none if the step must wait.
type Worlds = Result<Vec<World>, Trouble>;

impl Machine<'_, '_> {
    /// Every world one step away.
    fn steps(&mut self, world: &World) -> Worlds {
        let mut next = Vec::new();
        for (name, thread) in &world.threads {
            for entry in thread.leaving(self.model) {
                let mut after = world.clone();
                after.leave_buffer(*name, entry);
                next.push(after);
            }
            let waits_for_buffer = thread.draining && !thread.buffer.is_empty();
            if let Some(inst) = thread.local.at(self.cx)
                && !waits_for_buffer
            {
                next.extend(self.instruction(world, *name, inst)?);
            }
        }
        Ok(next)
    }

    fn instruction(&mut self, world: &World, name: ThreadName, inst: &InstKind) -> Worlds {
        match inst {
            InstKind::Load { .. } | InstKind::Await { .. } => self.load(world, name, inst),
            InstKind::Store { .. } => self.store(world, name, inst),
            InstKind::Choose { dst, lo, hi, .. } => self.choose(world, name, *dst, *lo..=*hi),
            InstKind::Fence { kind } => self.fence(world, name, *kind),
            InstKind::SelfId { dst } => {
                let mut after = world.clone();
                after.thread_mut(name).local.set(*dst, name.handle().into());
                self.finish(after, name, None)
            }
            // Everything else waits for the stores of its thread.
            _ if !world.threads[&name].buffer.is_empty() => Ok(Vec::new()),
            InstKind::Rmw { .. } | InstKind::CmpXchg { .. } => self.update(world, name, inst),
            _ => self.synchronise(world, name, inst),
        }
    }

    fn choose(
        &self,
        world: &World,
        name: ThreadName,
        dst: Reg,
        values: std::ops::RangeInclusive<u64>,
    ) -> Worlds {
        let mut next = Vec::new();
        for value in values {
            let mut after = world.clone();
            after.thread_mut(name).local.set(dst, value.into());
            next.extend(self.finish(after, name, Some(Event::Choice(value)))?);
        }
        Ok(next)
    }

    /// The thread's instruction is done: notes the event and runs it up to its next one.
    fn finish(&self, mut world: World, name: ThreadName, event: Option<Event>) -> Worlds {
        let thread = world.thread_mut(name);
        thread.events.extend(event);
        thread.steps += 1;
        if thread.steps > STEPS {
            return Err(Trouble::Budget);
        }
        thread.local.finish_inst(self.cx)?;
        Ok(vec![world])
    }

    /// The thread's instruction fails.
    fn fail(&self, world: &World, name: ThreadName, event: Option<Event>) -> Worlds {
        let mut after = world.clone();
        let thread = after.thread_mut(name);
        thread.events.extend(event);
        thread.local.fail();
        Ok(vec![after])
    }

    /// Whether an access to `place` is one to memory that exists.
    fn check(&mut self, place: Extent, write: bool) -> Result<bool, Trouble> {
        let allowed = self.cx.layout.allows(place, write);
        if allowed {
            self.places.note(place)?;
        }
        Ok(allowed)
    }
}

/// Whether a thread has ended and all its stores are in memory.
fn is_over(world: &World, name: ThreadName) -> Option<u64> {
    let thread = world.threads.get(&name)?;
    match thread.local.end() {
        Some(End::Returned(value)) if thread.buffer.is_empty() => Some(value),
        _ => None,
    }
}
