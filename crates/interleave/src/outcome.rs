//! How executions end, counted.

use crate::api::{Options, Strategy};
use crate::datarace::{self, Found};
use crate::event::{Event, Identity};
use crate::names::Names;
use crate::schedule::schedule;
use crate::system::System;
use raddle_engine::{BoundKind, BoundMet, FailureKind, FailureSite, Step, Stopped, Summary};
use raddle_ir::{GlobalId, LocId, Program, Quantifier};
use raddle_machine::{Bounds, Machine, Status, ThreadId, Visible, layout};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// How one execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Complete,
    /// A thread was stopped by `assume`, or spins for something that has happened since.
    Blocked,
    /// A bound stopped a thread at this position.
    Cut(BoundKind, LocId),
    Failed(Vec<FailureSite>),
}

/// How an execution in which nothing more can happen has ended. Faults come first: they are real
/// whatever else stopped the others; then bounds, which leave the rest unknown.
pub(crate) fn end_of(system: &mut System<'_>) -> End {
    let spinning = system.spinning();
    let spin_for_ever = system.all_spin_for_ever();
    let system = &*system;
    let machine = &system.machine;
    if !system.failures.is_empty() {
        let failures = system.failures.iter().map(|failed| FailureSite {
            kind: failed.fault.kind.into(),
            thread: machine.thread_name(failed.thread).to_owned(),
            loc: failed.loc,
            against: LocId::NONE,
            message: failed.fault.message.clone(),
        });
        return End::Failed(failures.collect());
    }
    let with = |status| machine.thread_ids().filter(move |id| machine.status(*id) == status);
    for (status, bound) in [
        (Status::OutOfEvents, BoundKind::Events),
        (Status::OutOfSteps, BoundKind::LocalSteps),
        (Status::Unrolled, BoundKind::Iterations),
    ] {
        if let Some(thread) = with(status).next() {
            return End::Cut(bound, machine.loc(thread));
        }
    }
    if with(Status::Blocked).next().is_some() {
        return End::Blocked;
    }
    // Whoever waits when the program has ended need not go on.
    if with(Status::Halted).next().is_some() {
        return End::Complete;
    }
    if !spin_for_ever {
        return End::Blocked;
    }
    let waiting: Vec<ThreadId> = waiting(system).chain(spinning).collect();
    match waiting.first() {
        None => End::Complete,
        Some(first) => {
            let names: Vec<&str> = waiting.iter().map(|id| machine.thread_name(*id)).collect();
            let reasons: Vec<String> = waiting.iter().map(|id| waits_for(system, *id)).collect();
            End::Failed(vec![FailureSite {
                kind: FailureKind::Deadlock,
                thread: names.join(", "),
                loc: machine.loc(*first),
                against: LocId::NONE,
                message: reasons.join("; "),
            }])
        }
    }
}

/// The threads that are before an operation.
pub(crate) fn waiting<'s>(system: &'s System<'_>) -> impl Iterator<Item = ThreadId> + 's {
    let machine = &system.machine;
    machine.thread_ids().filter(|id| machine.status(*id) == Status::Ready)
}

fn waits_for(system: &System<'_>, thread: ThreadId) -> String {
    let machine = &system.machine;
    let name = machine.thread_name(thread);
    let place = machine.program.place(machine.loc(thread));
    let at = place.map_or(String::new(), |place| format!(" at {place}"));
    if machine.status(thread) == Status::Spinning {
        return format!("{name} spins for ever{at}");
    }
    format!("{name} waits for {}{at}", awaited(system, thread))
}

/// What a thread that cannot go on waits for: `a lock that P1 holds`.
fn awaited(system: &System<'_>, thread: ThreadId) -> String {
    let machine = &system.machine;
    match machine.visible(thread) {
        Visible::Lock { addr } | Visible::Relock { addr, woken: true } => {
            let holder = system.in_memory(addr, raddle_machine::visible::LOCK_BYTES);
            let holder = holder.and_then(|value| machine.thread_of(value as u64));
            match holder {
                Some(holder) if holder == thread => "a lock that it holds itself".to_owned(),
                Some(holder) => format!("a lock that {} holds", machine.thread_name(holder)),
                None => "a lock".to_owned(),
            }
        }
        Visible::Relock { .. } => "a signal".to_owned(),
        Visible::Join { handle } => match machine.thread_of(handle) {
            Some(target) => format!("{} to end", machine.thread_name(target)),
            None => "a thread to end".to_owned(),
        },
        Visible::Await { addr, .. } | Visible::Rmw { addr, .. } => match global_at(machine, addr) {
            Some(name) => format!("a value of {name}"),
            None => "a value".to_owned(),
        },
        other => format!("{other:?}"),
    }
}

/// The global that an address is in, by name.
fn global_at<'p>(machine: &Machine<'p>, addr: u64) -> Option<&'p str> {
    let (object, _) = layout::split_address(addr)?;
    let global = machine.program.globals.get(GlobalId::from_u32(object.0))?;
    Some(&global.name)
}

/// The final values of the program's observables.
pub(crate) fn final_state(system: &System<'_>, values: &mut Vec<u64>) {
    values.clear();
    let observables = system.machine.program.observables.values();
    values.extend(observables.map(|observable| system.machine.observe(observable.what)));
}

/// Executions that end in the same final values.
#[derive(Clone, Debug)]
struct Ending {
    count: u64,
    /// How the first of them went, if that may be asked for.
    schedule: Vec<Step>,
}

/// Whether two failures are one error to a user: the same kind at the same place, whichever thread
/// it was; for a race, the same two places, whichever came first. A deadlock has no one place, and a
/// failure without a place is known by its message.
fn is_same_error(a: &FailureSite, b: &FailureSite) -> bool {
    let placeless = a.loc == LocId::NONE || a.kind == FailureKind::Race && a.against == LocId::NONE;
    let by_message = a.kind == FailureKind::Deadlock || placeless;
    let (here, there) = ((a.loc, a.against), (b.loc, b.against));
    a.kind == b.kind
        && (here == there || here == (there.1, there.0))
        && (!by_message || a.message == b.message)
}

#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    pub summary: Summary,
    keep_going: bool,
    bounds: Bounds,
    /// Whether final states are asked for, and whether one can be wrong.
    observes: bool,
    judges: bool,
    states: FxHashMap<Vec<u64>, Ending>,
    traces: Option<FxHashSet<u128>>,
    /// Scratch.
    state: Vec<u64>,
}

impl Outcomes {
    pub fn new(program: &Program, options: &Options) -> Outcomes {
        Outcomes {
            summary: Summary::default(),
            keep_going: options.keep_going,
            bounds: options.limits.bounds(),
            observes: !program.observables.is_empty() || program.condition.is_some(),
            judges: program.condition.as_ref().is_some_and(|c| c.quantifier != Quantifier::Exists),
            states: FxHashMap::default(),
            traces: options.count_traces.then(FxHashSet::default),
            state: Vec::new(),
        }
    }

    /// Counts an execution in which nothing more can happen.
    pub fn end(&mut self, system: &mut System<'_>) {
        self.race(system);
        self.full(system);
        match end_of(system) {
            End::Complete => {
                self.summary.executions += 1;
                self.observe(system);
            }
            End::Blocked => self.summary.blocked += 1,
            End::Cut(bound, loc) => self.cut(bound, loc),
            End::Failed(failures) => {
                self.summary.executions += 1;
                for (n, site) in failures.iter().enumerate() {
                    // An execution counts once for each error, however many threads show it.
                    if !failures[..n].iter().any(|earlier| is_same_error(earlier, site)) {
                        self.failed(system, site.clone(), system.events.len());
                    }
                }
            }
        }
        self.note(system);
    }

    /// Counts an execution in which every thread has ended.
    #[inline]
    pub fn complete(&mut self, system: &System<'_>) {
        self.race(system);
        self.full(system);
        self.summary.executions += 1;
        self.observe(system);
        self.note(system);
    }

    fn note(&mut self, system: &System<'_>) {
        self.summary.longest = self.summary.longest.max(system.events.len() as u32);
        if let Some(traces) = &mut self.traces {
            traces.insert(fingerprint(&system.events));
        }
    }

    fn cut(&mut self, kind: BoundKind, loc: LocId) {
        self.summary.cut += 1;
        self.bound(kind, loc);
    }

    /// Counts an execution in which the bound on buffers was met.
    #[inline]
    fn full(&mut self, system: &System<'_>) {
        if system.slots.is_some() {
            for loc in system.full_at() {
                self.bound(BoundKind::Buffer, loc);
            }
        }
    }

    fn bound(&mut self, kind: BoundKind, loc: LocId) {
        let bounds = &mut self.summary.bounds;
        match bounds.iter_mut().find(|bound| bound.kind == kind && bound.loc == loc) {
            Some(bound) => bound.count += 1,
            None => bounds.push(BoundMet { kind, loc, count: 1 }),
        }
    }

    /// Counts the data races of an execution, however that ends.
    #[inline]
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
        let mut known = self.summary.failures.iter_mut();
        let same = known.find(|failure| {
            let (loc, against) = (failure.loc, failure.against);
            failure.kind == FailureKind::Race
                && !placeless
                && (places == (loc, against) || places == (against, loc))
        });
        match same {
            Some(failure) => failure.count += 1,
            None => {
                let site = datarace::site(system, &Names::of(&system.machine), race);
                self.failed(system, site, race.events as usize);
            }
        }
    }

    /// Counts a failure that the first `events` events lead to.
    fn failed(&mut self, system: &System<'_>, site: FailureSite, events: usize) {
        let mut known = self.summary.failures.iter_mut();
        match known.find(|failure| is_same_error(&failure.site(), &site)) {
            Some(failure) => failure.count += 1,
            None => {
                let schedule = schedule(system, &system.events[..events], self.bounds);
                self.summary.failures.push(site.shown_by(1, schedule));
            }
        }
    }

    #[inline]
    fn observe(&mut self, system: &System<'_>) {
        if !self.observes {
            return;
        }
        final_state(system, &mut self.state);
        match self.states.get_mut(self.state.as_slice()) {
            Some(ending) => ending.count += 1,
            None => {
                let schedule = if self.judges {
                    schedule(system, &system.events, self.bounds)
                } else {
                    Vec::new()
                };
                self.states.insert(self.state.clone(), Ending { count: 1, schedule });
            }
        }
    }

    /// Whether there is nothing to go on for.
    pub fn is_decided(&self) -> bool {
        !self.keep_going && !self.summary.failures.is_empty()
    }

    pub fn finish(mut self, stopped: Option<Stopped>, strategy: Strategy) -> Summary {
        self.summary.stopped = if self.is_decided() {
            Some(Stopped::Failure)
        } else if matches!(strategy, Strategy::Random { .. }) {
            stopped.or(Some(Stopped::Sampling))
        } else {
            stopped
        };
        let mut states: Vec<(Vec<u64>, Ending)> = self.states.into_iter().collect();
        states.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (values, ending) in states {
            self.summary.states.push((values, ending.count));
            if self.judges {
                self.summary.witnesses.push(ending.schedule);
            }
        }
        self.summary.traces = self.traces.map(|traces| traces.len() as u64);
        self.summary
    }
}

/// A number that is the same for two executions iff (but for collisions of 128-bit hashes) they are
/// the same Shasha-Snir trace: each event with what it read from or overwrote, in any order.
fn fingerprint(events: &[Event]) -> u128 {
    let half = |event: &Event, salt: u64| {
        let mut hasher = FxHasher::default();
        salt.hash(&mut hasher);
        let Event { identity: Identity(identity), source: Identity(source), action, .. } = event;
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
