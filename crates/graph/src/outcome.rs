//! How executions end, counted.

use crate::ahead::{Ahead, ClockId, EventId, Failed, Status};
use crate::api::Options;
use crate::bits::Bits;
use crate::commit_before::is_enabled;
use crate::graph::Graph;
use crate::queue::is_representative;
use crate::state::{goes_on, last_value};
use raddle_engine::{BoundKind, BoundMet, FailureKind, FailureSite, Step, Stopped, Summary};
use raddle_ir::{LocId, Observed, Program, Quantifier};
use raddle_machine::layout;
use rustc_hash::FxHashMap;

/// How one execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Complete,
    Blocked,
    /// A bound stopped a thread at this position.
    Cut(BoundKind, LocId),
    Failed(Vec<FailureSite>),
    /// A load waits for a store that does not come: another run covers this one.
    Redundant,
}

/// How an execution in which nothing more can be committed has ended. Faults come first, then bounds,
/// which leave the rest unknown.
pub(crate) fn end_of<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>) -> End {
    let arrived = |t: &u32| ahead.has_arrived(*t);
    let with = |status| {
        (0..ahead.thread_count()).filter(arrived).filter(move |t| ahead.status(*t) == status)
    };
    let Some(waiting) = waiting(ahead, graph) else { return End::Redundant };
    if !is_representative(graph) {
        return End::Redundant;
    }
    let mut failures: Vec<Failed> =
        ahead.failures().iter().filter(|failed| arrived(&failed.thread)).cloned().collect();
    failures.extend(after_the_end(ahead, graph));
    if !failures.is_empty() {
        let failures = failures.iter().map(|failed| FailureSite {
            kind: failed.fault.kind.into(),
            thread: ahead.thread_name(failed.thread).to_owned(),
            loc: failed.at,
            against: LocId::NONE,
            message: failed.fault.message.clone(),
        });
        return End::Failed(failures.collect());
    }
    for (status, bound) in [
        (Status::OutOfEvents, BoundKind::Events),
        (Status::OutOfSteps, BoundKind::LocalSteps),
        (Status::Unrolled, BoundKind::Iterations),
    ] {
        if let Some(thread) = with(status).next() {
            return End::Cut(bound, ahead.place(thread));
        }
    }
    if with(Status::Blocked).next().is_some() {
        return End::Blocked;
    }
    // Whoever waits when the program has ended need not go on.
    if with(Status::Halted).next().is_some() {
        return End::Complete;
    }
    if with(Status::Spinning).any(|thread| !spins_for_ever(ahead, graph, thread)) {
        return End::Blocked;
    }
    let mut stuck: Vec<(u32, LocId, &str)> =
        with(Status::Spinning).map(|t| (t, ahead.place(t), "spins for ever")).collect();
    let events = waiting.iter().map(|id| ahead.event(*id));
    stuck.extend(events.map(|event| (event.thread, event.at, "waits for a value")));
    let running = (0..ahead.thread_count()).filter(|t| ahead.status(*t) == Status::Running);
    let joining = running.filter(|t| !stuck.iter().any(|(other, ..)| other == t));
    let joining: Vec<_> =
        joining.map(|t| (t, ahead.place(t), "waits for a thread to end")).collect();
    stuck.extend(joining);
    stuck.sort_unstable_by_key(|(thread, ..)| *thread);
    match stuck.first() {
        None => End::Complete,
        Some((_, loc, _)) => End::Failed(vec![deadlock(ahead, &stuck, *loc)]),
    }
}

/// Accesses to objects that another thread ended, without being ordered before that: they could as well
/// have come later.
fn after_the_end<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>) -> Vec<Failed> {
    let mut late = Vec::new();
    if !ahead.has_ended_objects() {
        return late;
    }
    for row in &graph.rows {
        let Some(end) = ahead.end_of_object(row.location) else { continue };
        if end.thread == row.thread || is_before(ahead, graph, row.event, end.clock) {
            continue;
        }
        let event = ahead.event(row.event);
        let fault = ahead.gone(event);
        late.push(Failed { thread: row.thread, at: event.at, fault });
    }
    late
}

/// Whether an event happens before one that a clock tells of, or is one of those.
fn is_before<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    event: EventId,
    clock: ClockId,
) -> bool {
    let Some(number) = ahead.committed(event) else { return true };
    let after = graph.rows[number].hb.after.or(&Bits::just(number));
    after.iter().any(|n| graph.rows[n].po < ahead.clocks.of(clock, graph.rows[n].thread))
}

fn deadlock(ahead: &Ahead<'_>, stuck: &[(u32, LocId, &str)], loc: LocId) -> FailureSite {
    let names: Vec<&str> = stuck.iter().map(|(thread, ..)| ahead.thread_name(*thread)).collect();
    let reasons = stuck.iter().map(|(thread, at, why)| {
        let place = ahead.program.place(*at).map_or(String::new(), |place| format!(" at {place}"));
        format!("{} {why}{place}", ahead.thread_name(*thread))
    });
    FailureSite {
        kind: FailureKind::Deadlock,
        thread: names.join(", "),
        loc,
        against: LocId::NONE,
        message: reasons.collect::<Vec<_>>().join("; "),
    }
}

/// The loads that wait for a value for ever; `None` if something waits that another run lets go on.
fn waiting<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>) -> Option<Vec<EventId>> {
    let mut waiting = Vec::new();
    let mut behind = false;
    for thread in 0..ahead.thread_count() {
        for po in ahead.settled(thread)..ahead.fetched(thread) {
            let id = ahead.event_at(thread, po);
            if ahead.committed(id).is_some() {
                continue;
            }
            let event = ahead.event(id);
            if !is_enabled(ahead, id) {
                behind |= !ahead.is_void(id);
                continue;
            }
            event.load()?.when?;
            if goes_on(ahead, graph, id) {
                return None;
            }
            waiting.push(id);
        }
    }
    // What nothing is known to wait for was blocked by the model.
    (!behind || !waiting.is_empty()).then_some(waiting)
}

/// Whether a thread that spins would read the same values in the end, everywhere.
fn spins_for_ever<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>, thread: u32) -> bool {
    ahead.last_round(thread).all(|po| {
        let Some(number) = ahead.committed(ahead.event_at(thread, po)) else { return true };
        let row = &graph.rows[number];
        let read = graph.found(ahead, number);
        row.is_store || read == last_value(ahead, graph, row.location)
    })
}

/// The final values of the program's observables.
pub(crate) fn final_state<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    values: &mut Vec<u64>,
) {
    values.clear();
    for observable in ahead.program.observables.values() {
        let value = match observable.what {
            Observed::Mem { global, offset, ty } => {
                let addr = layout::global_address(global) + offset;
                let first = ahead.global_bytes(global, offset as u32, ty.bytes());
                memory(ahead, graph, addr, ty.bytes(), first)
            }
            register => ahead.observe_register(register).unwrap_or(0),
        };
        values.push(value);
    }
}

/// Bytes of memory after all stores; the bytes of an observable may be of several locations.
fn memory<const W: usize>(
    ahead: &Ahead<'_>,
    graph: &Graph<W>,
    addr: u64,
    bytes: u32,
    first: u128,
) -> u64 {
    let mut value = first;
    if let Some(location) = ahead.location_at(addr, bytes) {
        return last_value(ahead, graph, location).unwrap_or(0) as u64;
    }
    for location in ahead.locations_within(addr, bytes) {
        let (at, len) = ahead.extent_of(location);
        let Some(written) =
            graph.coherence(location).last().and_then(|store| graph.written(ahead, *store))
        else {
            continue;
        };
        for n in 0..u64::from(len) {
            if let Some(byte) = (at + n).checked_sub(addr).filter(|byte| *byte < bytes.into()) {
                value &= !(0xff << (8 * byte));
                value |= (written >> (8 * n) & 0xff) << (8 * byte);
            }
        }
    }
    value as u64
}

/// Executions that end in the same final values.
#[derive(Clone, Debug)]
struct Ending {
    count: u64,
    /// How the first of them went, if that may be asked for.
    schedule: Vec<Step>,
}

/// Whether two failures are one error to a user: the same kind at the same place.
fn is_same_error(a: &FailureSite, b: &FailureSite) -> bool {
    let by_message = a.kind == FailureKind::Deadlock || a.loc == LocId::NONE;
    a.kind == b.kind && a.loc == b.loc && (!by_message || a.message == b.message)
}

#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    pub summary: Summary,
    keep_going: bool,
    observes: bool,
    judges: bool,
    states: FxHashMap<Vec<u64>, Ending>,
    /// Scratch.
    state: Vec<u64>,
}

impl Outcomes {
    pub fn new(program: &Program, options: &Options) -> Outcomes {
        Outcomes {
            summary: Summary::default(),
            keep_going: options.keep_going,
            observes: !program.observables.is_empty() || program.condition.is_some(),
            judges: program.condition.as_ref().is_some_and(|c| c.quantifier != Quantifier::Exists),
            states: FxHashMap::default(),
            state: Vec::new(),
        }
    }

    /// Executions of any kind so far.
    pub fn explored(&self) -> u64 {
        let Summary { executions, blocked, redundant, cut, .. } = &self.summary;
        executions + blocked + redundant + cut
    }

    /// Counts a run that was given up.
    pub fn redundant(&mut self) {
        self.summary.redundant += 1;
    }

    /// Counts an execution in which nothing more can be committed.
    pub fn end<const W: usize>(&mut self, ahead: &Ahead<'_>, graph: &Graph<W>, steps: &[Step]) {
        self.summary.longest = self.summary.longest.max(graph.len() as u32);
        match end_of(ahead, graph) {
            End::Complete => {
                self.summary.executions += 1;
                self.observe(ahead, graph, steps);
            }
            End::Blocked => self.summary.blocked += 1,
            End::Redundant => self.redundant(),
            End::Cut(kind, loc) => self.cut(kind, loc),
            End::Failed(failures) => {
                self.summary.executions += 1;
                for (n, site) in failures.iter().enumerate() {
                    // An execution counts once for each error, however many threads show it.
                    if !failures[..n].iter().any(|earlier| is_same_error(earlier, site)) {
                        self.failed(site.clone(), steps);
                    }
                }
            }
        }
    }

    fn cut(&mut self, kind: BoundKind, loc: LocId) {
        self.summary.cut += 1;
        let bounds = &mut self.summary.bounds;
        match bounds.iter_mut().find(|bound| bound.kind == kind && bound.loc == loc) {
            Some(bound) => bound.count += 1,
            None => bounds.push(BoundMet { kind, loc, count: 1 }),
        }
    }

    fn failed(&mut self, site: FailureSite, steps: &[Step]) {
        let mut known = self.summary.failures.iter_mut();
        match known.find(|failure| is_same_error(&failure.site(), &site)) {
            Some(failure) => failure.count += 1,
            None => self.summary.failures.push(site.shown_by(1, steps.to_vec())),
        }
    }

    fn observe<const W: usize>(&mut self, ahead: &Ahead<'_>, graph: &Graph<W>, steps: &[Step]) {
        if !self.observes {
            return;
        }
        final_state(ahead, graph, &mut self.state);
        match self.states.get_mut(self.state.as_slice()) {
            Some(ending) => ending.count += 1,
            None => {
                let schedule = if self.judges { steps.to_vec() } else { Vec::new() };
                self.states.insert(self.state.clone(), Ending { count: 1, schedule });
            }
        }
    }

    /// Whether there is nothing to go on for.
    pub fn is_decided(&self) -> bool {
        !self.keep_going && !self.summary.failures.is_empty()
    }

    /// Bytes held, for memory limits.
    pub fn bytes(&self) -> usize {
        let observables = self.state.capacity() * 8;
        self.states.len() * (observables + std::mem::size_of::<Ending>())
    }

    pub fn finish(mut self, stopped: Option<Stopped>) -> Summary {
        self.summary.stopped = if self.is_decided() { Some(Stopped::Failure) } else { stopped };
        let mut states: Vec<(Vec<u64>, Ending)> = self.states.into_iter().collect();
        states.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (values, ending) in states {
            self.summary.states.push((values, ending.count));
            if self.judges {
                self.summary.witnesses.push(ending.schedule);
            }
        }
        self.summary
    }
}
