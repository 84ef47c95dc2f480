//! How executions end, counted.

use crate::datarace::{self, Found};
use crate::event::{Event, Identity};
use crate::narrate::names_of;
use crate::schedule::schedule;
use crate::spin::Left;
use crate::system::System;
use raddle_engine::{
    BoundKind, Coverage, End, FailureKind, FailureSite, Need, Options, Stopped, Strategy, Stuck,
    Summary, Tally,
};
use raddle_ir::{LocId, Program};
use raddle_machine::visible::LOCK_BYTES;
use raddle_machine::{Status, ThreadId, Visible};
use rustc_hash::{FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// How an execution in which nothing more can happen has ended. Faults come first: they are real
/// whatever else stopped the others; then bounds, which leave the rest unknown.
pub(crate) fn end_of(system: &mut System<'_>) -> End {
    let left = system.left();
    let system = &*system;
    let machine = &system.machine;
    if !system.failures.is_empty() {
        return End::Failed(system.failures.iter().map(|failed| failed.site(machine)).collect());
    }
    let with = |status| machine.thread_ids().filter(move |id| machine.status(*id) == status);
    for (status, bound) in BoundKind::STOPS {
        if let Some(thread) = with(status).next() {
            return End::Cut(bound, machine.loc(thread));
        }
    }
    if with(Status::Blocked).next().is_some() {
        return End::Blocked;
    }
    // A thread that waits when the program has ended need not go on.
    if with(Status::Halted).next().is_some() {
        return End::Complete;
    }
    let Some(Left { stuck: left, going_on }) = left else { return End::Blocked };
    if !left.is_empty() {
        let stuck: Vec<Stuck> = left.iter().map(|id| stuck(system, *id)).collect();
        return End::Failed(vec![FailureSite::deadlock(machine, &stuck)]);
    }
    match going_on.first() {
        Some(first) => End::Endless(machine.loc(*first)),
        None => End::Complete,
    }
}

/// A thread that cannot go on, and why.
pub(crate) fn stuck(system: &System<'_>, thread: ThreadId) -> Stuck {
    Stuck { thread, at: system.machine.loc(thread), need: need(system, thread) }
}

fn need(system: &System<'_>, thread: ThreadId) -> Need {
    let machine = &system.machine;
    // A thread that spins or drains is not at a visible operation.
    if machine.status(thread) == Status::Spinning {
        return Need::Change;
    }
    if system.is_draining(thread) {
        return Need::Drain;
    }
    match machine.visible(thread) {
        Visible::Lock { addr } | Visible::Relock { addr, woken: true } => {
            let holder = machine.in_memory(addr, LOCK_BYTES);
            let holder = holder.and_then(|value| machine.thread_of(value as u64));
            Need::Lock { lock: addr, holder }
        }
        Visible::Relock { .. } => Need::Signal(machine.waits_on(thread)),
        Visible::Join { handle } => Need::End(machine.thread_of(handle)),
        Visible::Await { addr, .. } | Visible::Rmw { addr, when: Some(_), .. } => {
            Need::Value(Some(addr))
        }
        // No other operation waits by itself.
        _ => Need::Memory,
    }
}

/// Adds the final values of the program's observables.
pub(crate) fn final_state(system: &System<'_>, values: &mut Vec<u64>) {
    let observables = system.machine.program.observables.values();
    values.extend(observables.map(|observable| system.machine.observe(observable.what)));
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcomes {
    pub tally: Tally,
    /// Why the search ended early.
    pub stopped: Option<Stopped>,
    /// The number that a visitor has given to what it has found, if that has ended the search.
    found: Option<usize>,
    traces: Option<FxHashSet<u128>>,
}

impl Outcomes {
    pub(crate) fn new(program: &Program, options: &Options) -> Outcomes {
        Outcomes {
            tally: Tally::new(program, options),
            stopped: None,
            found: None,
            traces: options.count_traces.then(FxHashSet::default),
        }
    }

    /// Counts an execution in which nothing more can happen.
    pub(crate) fn end(&mut self, system: &mut System<'_>) {
        self.race(system);
        self.full(system);
        let end = end_of(system);
        // Threads that spin were given a trial, which may have been cut short.
        if system.budget().is_spent() {
            return;
        }
        let system = &*system;
        let schedule = || schedule(system, &system.events);
        self.tally.count(end, |state| final_state(system, state), schedule);
        self.note(system);
    }

    /// Counts an execution in which every thread has ended.
    #[inline]
    pub(crate) fn complete(&mut self, system: &System<'_>) {
        self.race(system);
        self.full(system);
        let schedule = || schedule(system, &system.events);
        self.tally.complete(|state| final_state(system, state), schedule);
        self.note(system);
    }

    #[inline(always)]
    fn note(&mut self, system: &System<'_>) {
        let longest = &mut self.tally.summary.longest;
        *longest = (*longest).max(system.events.len() as u32);
        if let Some(traces) = &mut self.traces {
            traces.insert(fingerprint(&system.events));
        }
    }

    /// Counts an execution in which the bound on buffers was met.
    #[inline(always)]
    fn full(&mut self, system: &System<'_>) {
        if system.slots.is_some() {
            for loc in system.full_at() {
                self.tally.bound(BoundKind::Buffer, loc);
            }
        }
    }

    /// Counts the data races of an execution, however that ends.
    #[inline(always)]
    fn race(&mut self, system: &System<'_>) {
        if system.data_races.is_some() {
            for race in system.races_found() {
                self.raced(system, race);
            }
        }
    }

    /// Counts a data race. Most are known, by their places, from another execution.
    fn raced(&mut self, system: &System<'_>, race: &Found) {
        let places = (race.later.loc, race.earlier.loc);
        let placeless = places.0 == LocId::NONE || places.1 == LocId::NONE;
        let mut known = self.tally.summary.failures.iter_mut();
        let same = known.find(|failure| {
            let (loc, against) = (failure.loc, failure.against);
            failure.kind == FailureKind::Race
                && !placeless
                && (places == (loc, against) || places == (against, loc))
        });
        match same {
            Some(failure) => failure.count += 1,
            None => {
                let site = datarace::site(system, &names_of(&system.machine), race);
                let events = &system.events[..race.events as usize];
                self.tally.failed(site, || schedule(system, events));
            }
        }
    }

    /// Adds the counts of a part of the search that comes after this one.
    pub(crate) fn absorb(&mut self, later: Outcomes) {
        self.tally.absorb(later.tally);
        self.stopped = self.stopped.or(later.stopped);
        self.found = self.found.or(later.found);
        if let (Some(traces), Some(more)) = (&mut self.traces, later.traces) {
            traces.extend(more);
        }
    }

    /// Outcomes of the same search without an execution.
    pub(crate) fn nothing(&self) -> Outcomes {
        Outcomes {
            tally: self.tally.nothing(),
            stopped: None,
            found: None,
            traces: self.traces.as_ref().map(|_| FxHashSet::default()),
        }
    }

    /// A part of the search cannot be found.
    pub(crate) fn lost(self) -> Outcomes {
        Outcomes { stopped: Some(Stopped::Lost), ..self }
    }

    /// Whether there is nothing to go on for.
    pub(crate) fn is_decided(&self) -> bool {
        self.tally.is_decided() || self.found.is_some()
    }

    /// A visitor has seen enough, and has given this number to what it has found.
    pub(crate) fn find(&mut self, number: usize) {
        self.found = Some(number);
    }

    pub(crate) fn found(&self) -> Option<usize> {
        self.found
    }

    pub(crate) fn finish(self, strategy: Strategy) -> Summary {
        let enough = self.found.map(|_| Stopped::Enough);
        let stopped = enough.or(self.stopped);
        let stopped =
            stopped.or((strategy.coverage() == Coverage::Sample).then_some(Stopped::Sampling));
        let traces = self.traces.map(|traces| traces.len() as u64);
        Summary { traces, ..self.tally.finish(stopped) }
    }
}

/// A number that is the same for two executions iff (but for collisions of 128-bit hashes) they are
/// the same Shasha-Snir trace: each event with what it read from or overwrote, in any order.
fn fingerprint(events: &[Event]) -> u128 {
    let half = |event: &Event, salt: u64| {
        let mut hasher = FxHasher::default();
        salt.hash(&mut hasher);
        let (Identity(identity), Event { source: Identity(source), action, .. }) =
            (event.identity(), event);
        (identity, source, action.addr, action.bytes).hash(&mut hasher);
        (action.class as u8, action.choice).hash(&mut hasher);
        // The hasher's last step is too regular for sums.
        let mixed = (hasher.finish() ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
    };
    events.iter().fold(0, |sum: u128, event| {
        let hash = u128::from(half(event, 1)) << 64 | u128::from(half(event, 2));
        sum.wrapping_add(hash)
    })
}
