//! Reachability by exhaustive search: a stateful search under TSO with store buffers of bounded
//! length.
//!
//! This oracle is for programs that never end but have finitely many states. With a length of 0 stores go
//! straight to memory, which is SC. A goal found at some length is reachable. If no store ever waited for
//! room, longer buffers find nothing new; otherwise a search with longer buffers decides whether
//! they do. The search uses no reduction: every interleaving of visible steps is a path of the search.
//!
//! A thread runs up to its next visible instruction at once. The starts of blocks that it passes on
//! the way are recorded, since the other threads of a goal may have been at their blocks at that
//! time ([`thread`]).
//!
//! Robustness is decided by the same search ([`past`]).
//!
//! Not supported: calls, spawned threads, condition variables, stores whose order implies a
//! fence.

mod past;
mod thread;

use crate::arith;
use crate::barriers::{self, Barrier};
use crate::layout::{Extent, Layout};
use crate::outcome::Trouble;
use past::Past;
use raddle_ir::{InstKind, Operand, Program, ThreadIdx, Type};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use thread::Thread;

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// The reached goals, by their index in the program.
    pub goals: BTreeSet<usize>,
    /// Whether some thread failed.
    pub failed: bool,
    /// Whether some store waited for room in its buffer.
    pub capped: bool,
    /// Whether some execution has a trace that is impossible under SC, if the search looks for that.
    pub beyond_sc: bool,
    pub states: usize,
}

/// Searches every state with buffers of at most `length` stores.
pub fn reached(program: &Program, length: usize, budget: usize) -> Result<Reached, Trouble> {
    let search = Search { program, layout: Layout::new(program)?, length, traces: false };
    search.run(budget)
}

/// Whether buffers of at most `length` stores allow a trace that is impossible under SC. The search ends
/// with the first such trace. [`Reached::capped`] tells whether longer buffers might allow more.
pub fn beyond_sc(program: &Program, length: usize, budget: usize) -> Result<Reached, Trouble> {
    let search = Search { program, layout: Layout::new(program)?, length, traces: true };
    search.run(budget)
}

/// [`reached`] with longer and longer buffers, until a length finds nothing that a shorter one had not
/// found.
pub fn reached_at_last(program: &Program, budget: usize) -> Result<Reached, Trouble> {
    let mut before = reached(program, 1, budget)?;
    for length in 2.. {
        if !before.capped {
            break;
        }
        let now = reached(program, length, budget)?;
        // Stop when two consecutive lengths give the same result, but not before length 4: a new result may
        // need more than one additional store.
        let same = now.goals == before.goals && now.failed == before.failed;
        before = now;
        if same && length > 3 {
            break;
        }
    }
    Ok(before)
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    /// The bytes that differ from their initial values.
    memory: BTreeMap<u64, u8>,
    /// The oldest store comes first.
    buffers: Vec<VecDeque<(Extent, u128)>>,
    /// Present if the search looks for traces.
    past: Option<Past>,
    /// Whether the trace so far is impossible under SC.
    beyond_sc: bool,
}

struct Search<'p> {
    program: &'p Program,
    layout: Layout,
    length: usize,
    traces: bool,
}

type States = Result<Vec<State>, Trouble>;

impl Search<'_> {
    fn run(&self, budget: usize) -> Result<Reached, Trouble> {
        let mut found = Reached::default();
        let first = self.initial_state()?;
        let mut seen = FxHashSet::from_iter([first.clone()]);
        let mut work = vec![first];
        while let Some(state) = work.pop() {
            self.record(&state, &mut found);
            if found.beyond_sc {
                break;
            }
            for next in self.successors(&state, &mut found.capped)? {
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
            if seen.len() > budget {
                return Err(Trouble::Budget);
            }
        }
        found.states = seen.len();
        Ok(found)
    }

    fn initial_state(&self) -> Result<State, Trouble> {
        let mut threads = Vec::new();
        for index in self.program.threads.keys() {
            threads.push(Thread::start(self.program, &self.layout, index)?);
        }
        let buffers = vec![VecDeque::new(); threads.len()];
        let past = self.traces.then(|| Past::new(threads.len()));
        Ok(State { threads, memory: BTreeMap::new(), buffers, past, beyond_sc: false })
    }

    fn record(&self, state: &State, found: &mut Reached) {
        found.failed |= state.threads.iter().any(Thread::has_failed);
        found.beyond_sc |= state.beyond_sc;
        for (number, goal) in self.program.goals.iter().enumerate() {
            let at = |(thread, block): &(ThreadIdx, _)| {
                state.threads[thread.as_u32() as usize].was_at(*block)
            };
            if goal.places.iter().all(at) {
                found.goals.insert(number);
            }
        }
    }

    fn successors(&self, state: &State, capped: &mut bool) -> States {
        let mut next = Vec::new();
        for thread in 0..state.threads.len() {
            next.extend(self.step(state, thread, capped)?);
            if self.may_write(state, thread)
                && let Some((place, value)) = state.buffers[thread].front()
            {
                let mut after = state.clone();
                self.write(&mut after, *place, *value);
                after.buffers[thread].pop_front();
                let past = after.past.as_mut();
                after.beyond_sc |= past.is_some_and(|past| past.update(thread, *place));
                next.push(after);
            }
        }
        Ok(next)
    }

    /// Whether no other thread has the exclusive right to write memory.
    fn may_write(&self, state: &State, thread: usize) -> bool {
        let Some(lock) = self.program.memory_lock else { return true };
        let holder = self.memory(state, Extent::mutex(self.layout.address(lock)));
        holder == 0 || holder == thread as u128 + 1
    }

    fn byte(&self, state: &State, addr: u64) -> u8 {
        state.memory.get(&addr).copied().unwrap_or_else(|| self.layout.initial_byte(addr))
    }

    fn memory(&self, state: &State, place: Extent) -> u128 {
        let bytes = (0..u64::from(place.size)).rev();
        bytes.fold(0, |value, i| value << 8 | u128::from(self.byte(state, place.addr + i)))
    }

    /// Memory as the thread sees it: each byte comes from the thread's newest store to it, if one is buffered.
    fn seen(&self, state: &State, thread: usize, place: Extent) -> u128 {
        let byte = |addr: u64| {
            let covers = |(p, _): &&(Extent, u128)| addr.wrapping_sub(p.addr) < p.size.into();
            match state.buffers[thread].iter().rev().find(covers) {
                Some((p, value)) => (value >> (8 * (addr - p.addr))) as u8,
                None => self.byte(state, addr),
            }
        };
        let bytes = (0..u64::from(place.size)).rev();
        bytes.fold(0, |value, i| value << 8 | u128::from(byte(place.addr + i)))
    }

    fn write(&self, state: &mut State, place: Extent, value: u128) {
        for i in 0..u64::from(place.size) {
            let (addr, byte) = (place.addr + i, (value >> (8 * i)) as u8);
            if byte == self.layout.initial_byte(addr) {
                state.memory.remove(&addr);
            } else {
                state.memory.insert(addr, byte);
            }
        }
    }

    /// The states after a thread's next instruction; none if the thread has to wait.
    fn step(&self, state: &State, thread: usize, capped: &mut bool) -> States {
        let local = &state.threads[thread];
        let Some(inst) = local.at(self.program) else { return Ok(Vec::new()) };
        let value = |operand: Operand, ty: Type| local.value(&self.layout, operand, ty);
        let place = |addr, ty| Extent::new(value(addr, Type::Ptr) as u64, ty);
        let drained = state.buffers[thread].is_empty();
        let may_write = drained && self.may_write(state, thread);
        match *inst {
            InstKind::Load { dst, ty, addr, .. } => {
                let place = place(addr, ty);
                if !self.layout.allows(place, false) {
                    return Ok(vec![self.failing(state, thread)]);
                }
                let seen = self.seen(state, thread, place) & ty.mask();
                let mut after = state.clone();
                if let Some(past) = &mut after.past {
                    match self.newest(state, thread, place)? {
                        Some(position) => past.read_own(thread, position),
                        None => past.read(thread, place),
                    }
                }
                self.advance(after, thread, &[(dst, seen)])
            }
            InstKind::Store { ty, addr, value: stored, access } => {
                if barriers::after_store(access.order).is_some() {
                    return Trouble::unsupported("stores with a fence of their own");
                }
                let (place, stored) = (place(addr, ty), value(stored, ty));
                if !self.layout.allows(place, true) {
                    return Ok(vec![self.failing(state, thread)]);
                }
                self.store(state, thread, place, stored, capped)
            }
            InstKind::Fence { kind } => match barriers::of_fence(kind) {
                Some(Barrier::Full) if !drained => Ok(Vec::new()),
                _ => self.advance(state.clone(), thread, &[]),
            },
            InstKind::Choose { dst, lo, hi, .. } => {
                let mut all = Vec::new();
                for chosen in lo..=hi {
                    all.extend(self.advance(state.clone(), thread, &[(dst, chosen.into())])?);
                }
                Ok(all)
            }
            _ if !may_write => Ok(Vec::new()),
            InstKind::Rmw { op, ty, dst, addr, value: operand, when: None, .. } => {
                let (place, operand) = (place(addr, ty), value(operand, ty));
                if !self.layout.allows(place, true) {
                    return Ok(vec![self.failing(state, thread)]);
                }
                let old = self.memory(state, place) & ty.mask();
                let mut after = state.clone();
                self.write_at_once(&mut after, thread, place, arith::modify(op, ty, old, operand)?);
                self.advance(after, thread, &[(dst, old)])
            }
            InstKind::CmpXchg { ty, dst, ok, addr, expected, new, .. } => {
                let place = place(addr, ty);
                if !self.layout.allows(place, true) {
                    return Ok(vec![self.failing(state, thread)]);
                }
                let old = self.memory(state, place) & ty.mask();
                let equal = old == value(expected, ty);
                let mut after = state.clone();
                if equal {
                    self.write_at_once(&mut after, thread, place, value(new, ty));
                } else if let Some(past) = &mut after.past {
                    past.read(thread, place);
                }
                self.advance(after, thread, &[(dst, old), (ok, equal.into())])
            }
            InstKind::Lock { addr } => {
                let place = Extent::mutex(value(addr, Type::Ptr) as u64);
                if self.memory(state, place) != 0 {
                    return Ok(Vec::new());
                }
                let mut after = state.clone();
                self.write_at_once(&mut after, thread, place, thread as u128 + 1);
                self.advance(after, thread, &[])
            }
            InstKind::Unlock { addr } => {
                let place = Extent::mutex(value(addr, Type::Ptr) as u64);
                if self.memory(state, place) != thread as u128 + 1 {
                    return Ok(vec![self.failing(state, thread)]);
                }
                let mut after = state.clone();
                self.write_at_once(&mut after, thread, place, 0);
                self.advance(after, thread, &[])
            }
            ref other => Trouble::unsupported(format!("{other:?} where states are kept")),
        }
    }

    fn store(
        &self,
        state: &State,
        thread: usize,
        place: Extent,
        value: u128,
        capped: &mut bool,
    ) -> States {
        let mut after = state.clone();
        if self.length == 0 {
            if !self.may_write(state, thread) {
                return Ok(Vec::new());
            }
            self.write_at_once(&mut after, thread, place, value);
        } else if state.buffers[thread].len() < self.length {
            after.buffers[thread].push_back((place, value));
            if let Some(past) = &mut after.past {
                past.buffer(thread);
            }
        } else {
            *capped = true;
            return Ok(Vec::new());
        }
        self.advance(after, thread, &[])
    }

    /// Writes directly to memory. The thread's buffer is empty.
    fn write_at_once(&self, state: &mut State, thread: usize, place: Extent, value: u128) {
        self.write(state, place, value);
        if let Some(past) = &mut state.past {
            past.write(thread, place);
        }
    }

    /// The newest store of the thread's buffer to this place.
    fn newest(
        &self,
        state: &State,
        thread: usize,
        place: Extent,
    ) -> Result<Option<usize>, Trouble> {
        let end = |place: Extent| place.addr + u64::from(place.size);
        let overlaps = |other: Extent| other.addr < end(place) && place.addr < end(other);
        let buffer = &state.buffers[thread];
        match buffer.iter().rposition(|(other, _)| overlaps(*other)) {
            Some(position) if buffer[position].0 != place => {
                Trouble::unsupported("traces of accesses that overlap in part")
            }
            found => Ok(found),
        }
    }

    fn failing(&self, state: &State, thread: usize) -> State {
        let mut after = state.clone();
        after.threads[thread].fail();
        after
    }

    /// Advances the thread past its instruction, with these results.
    fn advance(
        &self,
        mut state: State,
        thread: usize,
        results: &[(raddle_ir::Reg, u128)],
    ) -> States {
        state.threads[thread].resume(self.program, &self.layout, results)?;
        Ok(vec![state])
    }
}
