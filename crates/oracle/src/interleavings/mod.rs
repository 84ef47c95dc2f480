//! The operational oracle: all interleavings of a simple machine, distinguished by their traces.
//!
//! `sc`: stores go to memory at once. `tso`: each thread has one FIFO store buffer, and each buffered store
//! reaches memory in its own step. `pso`: the buffer is FIFO for each place, and a store may
//! not overtake a store that precedes a store-store barrier. A load takes the newest store to its
//! place from the thread's own buffer, or reads memory.
//!
//! Buffers may be bounded: a store then waits while its thread's buffer (`pso`: the stores of its
//! thread to its place) is full. With a bound of 0 a store goes to memory at once.
//!
//! Fences, read-modify-writes, compare-and-swaps (even failed ones), and lock, condition, spawn and join
//! operations wait until the thread's buffer is empty. A mutex is four bytes of memory: 0 is free.
//! Waiting on a condition variable is three events: enter its queue, release the mutex, and, after being
//! woken, take the mutex again. A signal wakes any one waiting thread (each is explored) or does nothing.
//!
//! The search clones the whole world at every step. A world contains the whole history that led to
//! it, in a form that does not depend on the order of independent steps (see [`world`]). A world
//! that was visited before is not searched again, which cannot lose a trace.
//!
//! Not covered: allocation, accesses that overlap without covering the same bytes.

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

/// The maximum number of visible instructions of one thread: a program that loops forever must not
/// fill memory, and must be noticed even if a round of the loop leaves no event.
const STEPS: usize = 64;

/// Every distinct trace of `program`; [`Trouble::Budget`] after `budget` distinct worlds.
pub fn executions(program: &Program, model: Model, budget: u64) -> Result<Outcome, Trouble> {
    bounded(program, model, usize::MAX, budget)
}

/// [`executions`] with a bound on the number of buffered stores.
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

/// The worlds after one step; none if the step must wait.
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
            // All other instructions wait until the stores of their thread have reached memory.
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

    /// Completes the thread's instruction: records the event and runs the thread up to its next visible
    /// instruction.
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

    /// Whether an access to `place` is valid.
    fn check(&mut self, place: Extent, write: bool) -> Result<bool, Trouble> {
        let allowed = self.cx.layout.allows(place, write);
        if allowed {
            self.places.note(place)?;
        }
        Ok(allowed)
    }
}

/// The result of a thread that has ended and whose stores have all reached memory.
fn is_over(world: &World, name: ThreadName) -> Option<u64> {
    let thread = world.threads.get(&name)?;
    match thread.local.end() {
        Some(End::Returned(value)) if thread.buffer.is_empty() => Some(value),
        _ => None,
    }
}
