//! Data races by the definition: every interleaving of a small program, with happens-before as relations and
//! their transitive closure. Shares no code with the engine and uses no clocks.

use std::collections::{BTreeSet, VecDeque};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// Locations and locks are numbered separately.
#[derive(Clone, Copy, Debug)]
pub(super) enum Statement {
    Load(usize, Order),
    Store(usize, Order, u32),
    Add(usize, Order),
    /// Compares with 0 and stores 1; the second order is that of a failure.
    Exchange(usize, Order, Order),
    Fence(Order),
    Lock(usize),
    Unlock(usize),
    /// Starts the last thread, or waits for its end.
    Spawn,
    Join,
}

/// Threads that all start at once, except the last one if a thread spawns it.
#[derive(Clone, Debug)]
pub(super) struct Threads(pub Vec<Vec<Statement>>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Read,
    Write,
    Update,
    Fence,
    Spawn,
    Join,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    statement: usize,
    role: Role,
    order: Order,
    /// The location or lock that it accesses; locks are numbered after the locations.
    at: Option<usize>,
    /// For a read: the event that it read from.
    from: Option<usize>,
}

/// A statement, by its thread and number.
pub(super) type StatementId = (usize, usize);

#[derive(Clone)]
struct State {
    next: Vec<usize>,
    started: bool,
    values: Vec<u32>,
    /// The event that wrote each value.
    writers: Vec<Option<usize>>,
    holders: Vec<Option<usize>>,
    /// Buffered stores: location, value, event.
    buffers: Vec<VecDeque<(usize, u32, usize)>>,
    /// Whether the thread must wait until its buffer is empty.
    draining: Vec<bool>,
    events: Vec<Event>,
}

pub(super) const LOCATIONS: usize = 3;
const LOCKS: usize = 1;

/// The pairs of statements that race in some interleaving; `None` if there are too many interleavings. With
/// `buffers`, threads have store buffers as under TSO.
pub(super) fn races(
    program: &Threads,
    buffers: bool,
) -> Option<BTreeSet<(StatementId, StatementId)>> {
    let count = program.0.len();
    let spawns = program.0.iter().flatten().any(|s| matches!(s, Statement::Spawn));
    let state = State {
        next: vec![0; count],
        started: !spawns,
        values: vec![0; LOCATIONS],
        writers: vec![None; LOCATIONS + LOCKS],
        holders: vec![None; LOCKS],
        buffers: vec![VecDeque::new(); count],
        draining: vec![false; count],
        events: Vec::new(),
    };
    let mut search = Search { program, buffers, left: 5_000, found: BTreeSet::new() };
    search.explore(state).then_some(search.found)
}

struct Search<'p> {
    program: &'p Threads,
    buffers: bool,
    left: u32,
    found: BTreeSet<(StatementId, StatementId)>,
}

impl Search<'_> {
    fn explore(&mut self, state: State) -> bool {
        let mut ended = true;
        for thread in 0..self.program.0.len() {
            if let Some(next) = updated(&state, thread) {
                ended = false;
                if !self.explore(next) {
                    return false;
                }
            }
            if let Some(next) = self.step(&state, thread) {
                ended = false;
                if !self.explore(next) {
                    return false;
                }
            }
        }
        if ended {
            let Some(left) = self.left.checked_sub(1) else { return false };
            self.left = left;
            self.found.extend(racing(&state.events));
        }
        true
    }

    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let last = self.program.0.len() - 1;
        let number = state.next[thread];
        let statement = *self.program.0[thread].get(number)?;
        let empty = state.buffers[thread].is_empty();
        if thread == last && !state.started || state.draining[thread] && !empty {
            return None;
        }
        let mut state = state.clone();
        state.draining[thread] = false;
        state.next[thread] += 1;
        let position = state.events.len();
        let mut event = Event {
            thread,
            statement: number,
            role: Role::Fence,
            order: Order::Relaxed,
            at: None,
            from: None,
        };
        match statement {
            Statement::Load(at, order) => {
                let own = state.buffers[thread].iter().rev().find(|(to, ..)| *to == at);
                let from = own.map_or(state.writers[at], |(.., writer)| Some(*writer));
                event = Event { role: Role::Read, order, at: Some(at), from, ..event };
            }
            Statement::Store(at, order, value) => {
                event = Event { role: Role::Write, order, at: Some(at), ..event };
                match self.buffers {
                    true => {
                        state.buffers[thread].push_back((at, value, position));
                        state.draining[thread] = order == Order::SeqCst;
                    }
                    false => (state.values[at], state.writers[at]) = (value, Some(position)),
                }
            }
            _ if !empty && !matches!(statement, Statement::Fence(_)) => return None,
            Statement::Add(at, order) => {
                let from = state.writers[at];
                event = Event { role: Role::Update, order, at: Some(at), from, ..event };
                (state.values[at], state.writers[at]) = (state.values[at] + 1, Some(position));
            }
            Statement::Exchange(at, order, failure) => {
                let from = state.writers[at];
                event = Event { role: Role::Read, order: failure, at: Some(at), from, ..event };
                if state.values[at] == 0 {
                    event = Event { role: Role::Update, order, ..event };
                    (state.values[at], state.writers[at]) = (1, Some(position));
                }
            }
            Statement::Fence(order) => {
                event.order = order;
                state.draining[thread] = order == Order::SeqCst;
            }
            Statement::Lock(lock) => {
                if state.holders[lock].is_some() {
                    return None;
                }
                state.holders[lock] = Some(thread);
                let (at, order) = (LOCATIONS + lock, Order::Acquire);
                let from = state.writers[at];
                event = Event { role: Role::Update, order, at: Some(at), from, ..event };
                state.writers[at] = Some(position);
            }
            Statement::Unlock(lock) => {
                state.holders[lock] = None;
                let (at, order) = (LOCATIONS + lock, Order::Release);
                event = Event { role: Role::Write, order, at: Some(at), ..event };
                state.writers[at] = Some(position);
            }
            Statement::Spawn => {
                state.started = true;
                event.role = Role::Spawn;
            }
            Statement::Join => {
                let ended = state.next[last] == self.program.0[last].len();
                if !ended || !state.buffers[last].is_empty() {
                    return None;
                }
                event.role = Role::Join;
            }
        }
        state.events.push(event);
        Some(state)
    }
}

/// The oldest store of a thread leaves its buffer.
fn updated(state: &State, thread: usize) -> Option<State> {
    let mut state = state.clone();
    let (at, value, writer) = state.buffers[thread].pop_front()?;
    (state.values[at], state.writers[at]) = (value, Some(writer));
    Some(state)
}

fn racing(events: &[Event]) -> impl Iterator<Item = (StatementId, StatementId)> {
    let before = happens_before(events);
    let mut found = Vec::new();
    for (a, first) in events.iter().enumerate() {
        for (b, second) in events.iter().enumerate().skip(a + 1) {
            let writes = |event: &Event| matches!(event.role, Role::Write | Role::Update);
            let conflict = first.thread != second.thread
                && first.at.is_some()
                && first.at == second.at
                && (writes(first) || writes(second))
                && (first.order == Order::Plain || second.order == Order::Plain);
            if conflict && !before[a][b] && !before[b][a] {
                let place = |event: &Event| (event.thread, event.statement);
                let (one, other) = (place(first), place(second));
                found.push((one.min(other), one.max(other)));
            }
        }
    }
    found.into_iter()
}

fn happens_before(events: &[Event]) -> Vec<Vec<bool>> {
    let count = events.len();
    let mut before = vec![vec![false; count]; count];
    let last = events.iter().map(|event| event.thread).max().unwrap_or(0);
    for (a, first) in events.iter().enumerate() {
        for (b, second) in events.iter().enumerate() {
            let same = first.thread == second.thread && first.statement < second.statement;
            let spawned = first.role == Role::Spawn && second.thread == last;
            let joined = second.role == Role::Join && first.thread == last;
            before[a][b] = same || spawned || joined;
        }
    }
    for (read, event) in events.iter().enumerate() {
        for (a, b) in synchronises(events, read, event) {
            before[a][b] = true;
        }
    }
    for via in 0..count {
        for a in 0..count {
            for b in 0..count {
                before[a][b] |= before[a][via] && before[via][b];
            }
        }
    }
    before
}

/// The pairs of events that synchronise because of the write that an event read from.
fn synchronises(events: &[Event], read: usize, event: &Event) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    if event.order == Order::Plain || event.from.is_none() {
        return pairs;
    }
    let fences = |of: usize, after: bool, wanted: fn(Order) -> bool| {
        let of = events[of];
        events.iter().enumerate().filter_map(move |(n, fence)| {
            let side = (fence.statement > of.statement) == after;
            let fits = fence.role == Role::Fence && fence.thread == of.thread && side;
            (fits && wanted(fence.order)).then_some(n)
        })
    };
    let mut acquiring: Vec<usize> = fences(read, true, Order::acquires).collect();
    if event.order.acquires() {
        acquiring.push(read);
    }
    // Back along the release sequence.
    let mut source = event.from;
    while let Some(write) = source.filter(|write| events[*write].order != Order::Plain) {
        let mut releasing: Vec<usize> = fences(write, false, Order::releases).collect();
        if events[write].order.releases() {
            releasing.push(write);
        }
        for a in releasing {
            pairs.extend(acquiring.iter().map(|b| (a, *b)));
        }
        source = match events[write].role {
            Role::Update => events[write].from,
            _ => None,
        };
    }
    pairs
}
