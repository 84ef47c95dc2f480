//! Which steps of a schedule depend on which, by the accesses of the story.
//!
//! Two kinds of edges lead from a step to later ones. Some *inform*: program order, values that are read,
//! spawns, joins, locks, and the stores that a thread has to wait for. What the finding depends on by them is
//! a schedule by itself. The others only fix the order of accesses to the same bytes, so that an order of all
//! steps that respects them is the same execution.
//!
//! More edges than needed do no harm, and a missing one only makes a candidate that does not replay.

use super::Candidate;
use crate::cycle::graph::Graph;
use crate::cycle::{Edge, Node};
use raddle_engine::{Bytes, Deed, Engine, FailureKind, ReplayEvent, Step, Writing};
use raddle_monitor::{Address, Cells};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) struct Dependences {
    graph: Graph,
}

/// What a thread did last.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// Its last step, or the one that started it.
    last: Option<Node>,
    /// The last store that left its buffer.
    update: Option<Node>,
    /// Its next step comes after all its stores have left the buffer.
    drains: bool,
    /// The locks that it holds, by the first byte.
    held: Vec<Bytes>,
    /// The condition variable that it waits for.
    waits_for: Option<u64>,
}

/// The last accesses of a cell of memory.
#[derive(Clone, Debug, Default)]
struct Content {
    write: Option<Node>,
    reads: Vec<Node>,
}

struct Builder<'c> {
    candidate: &'c Candidate,
    graph: Graph,
    cells: Cells,
    contents: Vec<Content>,
    threads: BTreeMap<u32, Thread>,
    /// The step at which a thread's store went into its buffer.
    stored: HashMap<(u32, u32), Node>,
    last_spawn: Option<Node>,
}

/// How an event uses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Read,
    Write,
    /// Reads the last write, and writes.
    Both,
    /// A read of the thread's own buffer: only later writes matter.
    Forwarded,
}

impl Dependences {
    pub(super) fn of(candidate: &Candidate, engine: Engine, initial_threads: usize) -> Dependences {
        let mut builder = Builder {
            candidate,
            graph: Graph::default(),
            cells: Cells::default(),
            contents: Vec::new(),
            threads: BTreeMap::new(),
            stored: HashMap::new(),
            last_spawn: None,
        };
        let events = &candidate.witness.events;
        for at in events.iter().filter_map(|event| access(&event.deed)).map(|(at, _)| at) {
            builder.cells.add(at.addr, at.bytes.max(1), true);
        }
        builder.contents.resize(builder.cells.len(), Content::default());
        let mut told: Vec<Vec<Node>> = vec![Vec::new(); candidate.witness.schedule.len()];
        for (event, step) in candidate.steps.iter().enumerate() {
            match step {
                Some(step) => told[*step].push(event),
                // What happens before the first step can only start buffers and threads.
                None => builder.before(&events[event]),
            }
        }
        for (step, told) in told.iter().enumerate() {
            builder.step(step, told);
        }
        if engine == Engine::Graph {
            builder.started_and_joined(initial_threads);
        }
        builder.graph.index(candidate.witness.schedule.len());
        Dependences { graph: builder.graph }
    }

    /// Marks the steps that some steps depend on, and these.
    pub(super) fn past(&self, of: Vec<Node>) -> Vec<bool> {
        self.graph.past(of)
    }

    /// The graph for an order of all steps, with one of them as the last.
    pub(super) fn for_order(mut self, schedule: &[Step], last: Option<Node>) -> Graph {
        if let Some(last) = last {
            (0..last).for_each(|step| self.graph.add(step, last, Edge::Sync));
            self.graph.index(schedule.len());
        }
        self.graph
    }
}

impl Builder<'_> {
    fn thread(&mut self, thread: u32) -> &mut Thread {
        self.threads.entry(thread).or_default()
    }

    fn after(&mut self, earlier: Option<Node>, step: Node, edge: Edge) {
        if let Some(earlier) = earlier.filter(|earlier| *earlier != step) {
            self.graph.add(earlier, step, edge);
        }
    }

    fn before(&mut self, event: &ReplayEvent) {
        if let Deed::Fence { .. } | Deed::Buffer { drains: true, .. } = event.deed {
            self.thread(event.number).drains = true;
        }
    }

    /// The spawns and joins of a graph, whose steps are in no order in time. A spawned thread may have been started
    /// after any step before its first one, and any step after its last one may have waited for it.
    fn started_and_joined(&mut self, initial: usize) {
        let schedule = &self.candidate.witness.schedule;
        let threads: Vec<u32> = schedule.iter().map(|step| step.thread().0).collect();
        let spawned: BTreeSet<u32> =
            threads.iter().copied().filter(|thread| *thread as usize >= initial).collect();
        for thread in spawned {
            let own = |other: &u32| *other == thread;
            let (Some(first), Some(last)) =
                (threads.iter().position(own), threads.iter().rposition(own))
            else {
                continue;
            };
            let before: BTreeMap<u32, Node> =
                threads[..first].iter().enumerate().map(|(n, other)| (*other, n)).collect();
            let after: BTreeMap<u32, Node> = threads[last + 1..]
                .iter()
                .enumerate()
                .rev()
                .map(|(n, other)| (*other, last + 1 + n))
                .collect();
            before.into_values().for_each(|step| self.graph.add(step, first, Edge::Sync));
            after.into_values().for_each(|step| self.graph.add(last, step, Edge::Sync));
        }
    }

    fn step(&mut self, step: Node, told: &[Node]) {
        let events = &self.candidate.witness.events;
        let own = self.candidate.witness.schedule[step];
        let thread = own.thread().0;
        if let Step::Update { store, .. } = own {
            let stored = self.stored.get(&(thread, store)).copied();
            self.after(stored, step, Edge::Sync);
            let earlier = self.thread(thread).update.replace(step);
            self.after(earlier, step, Edge::Sync);
        } else {
            self.follow(step, thread);
            let plain = told.first().is_some_and(|n| matches!(events[*n].deed, Deed::Read { .. }));
            if std::mem::take(&mut self.thread(thread).drains) || !plain {
                self.drained(step, thread);
            }
        }
        for n in told {
            let event = &events[*n];
            if !matches!(event.deed, Deed::Update { .. }) {
                self.follow(step, event.number);
            }
            self.event(step, event);
        }
    }

    /// Program order.
    fn follow(&mut self, step: Node, thread: u32) {
        let earlier = self.thread(thread).last.replace(step);
        self.after(earlier, step, Edge::Program);
    }

    fn drained(&mut self, step: Node, thread: u32) {
        let update = self.thread(thread).update;
        self.after(update, step, Edge::Sync);
    }

    fn event(&mut self, step: Node, event: &ReplayEvent) {
        let thread = event.number;
        match &event.deed {
            Deed::Buffer { store, drains, .. } => {
                self.stored.insert((thread, *store), step);
                self.thread(thread).drains |= *drains;
            }
            Deed::Fence { .. } => self.thread(thread).drains = true,
            Deed::Spawn(child) => {
                self.drained(step, thread);
                let earlier = self.last_spawn.replace(step);
                self.after(earlier, step, Edge::Sync);
                self.thread(child.number).last = Some(step);
            }
            Deed::Join(child) => {
                let ended: Vec<u32> = match child {
                    Some(child) => vec![child.number],
                    None => self.threads.keys().copied().collect(),
                };
                for child in ended {
                    let last = self.thread(child).last;
                    self.after(last, step, Edge::Sync);
                    self.drained(step, child);
                }
            }
            Deed::Lock { at, .. } => self.thread(thread).held.push(at.clone()),
            Deed::Unlock(at) => self.thread(thread).held.retain(|held| held.addr != at.addr),
            // Waiting releases the lock, which the story does not name.
            Deed::StartWaiting(cond) => {
                let held = std::mem::take(&mut self.thread(thread).held);
                held.iter().for_each(|lock| self.access(step, lock, Access::Both));
                self.thread(thread).waits_for = Some(cond.addr);
            }
            Deed::StopWaiting(_) => self.thread(thread).waits_for = None,
            Deed::Signal { woken: Some(woken), .. } => {
                self.follow(step, woken.number);
                self.thread(woken.number).waits_for = None;
            }
            Deed::Broadcast(cond) => {
                let waiting = self.threads.iter().filter(|(_, t)| t.waits_for == Some(cond.addr));
                for woken in waiting.map(|(thread, _)| *thread).collect::<Vec<u32>>() {
                    self.follow(step, woken);
                    self.thread(woken).waits_for = None;
                }
            }
            _ => {}
        }
        if let Some((at, access)) = access(&event.deed) {
            self.access(step, at, access);
        }
    }

    fn access(&mut self, step: Node, at: &Bytes, access: Access) {
        let cells: Vec<Address> = self.cells.of(at.addr, at.bytes.max(1)).to_vec();
        for cell in cells {
            let content = std::mem::take(&mut self.contents[cell.0 as usize]);
            let Content { mut write, mut reads } = content;
            match access {
                Access::Read | Access::Both => self.after(write, step, Edge::ReadsFrom),
                Access::Write => self.after(write, step, Edge::Coherence),
                Access::Forwarded => {}
            }
            match access {
                Access::Read | Access::Forwarded => reads.push(step),
                Access::Write | Access::Both => {
                    for read in reads.drain(..) {
                        self.after(Some(read), step, Edge::FromRead);
                    }
                    write = Some(step);
                }
            }
            self.contents[cell.0 as usize] = Content { write, reads };
        }
    }
}

/// The bytes that an event accesses when it happens.
fn access(deed: &Deed) -> Option<(&Bytes, Access)> {
    Some(match deed {
        Deed::Read { cell, forwarded: true } => (&cell.at, Access::Forwarded),
        Deed::Read { cell, .. } | Deed::Mismatch { cell, .. } => (&cell.at, Access::Read),
        Deed::Write { cell, how: Writing::Store, .. } | Deed::Update { cell, .. } => {
            (&cell.at, Access::Write)
        }
        Deed::Write { cell, .. } => (&cell.at, Access::Both),
        Deed::FindsLocked(at) | Deed::Touch(at) => (at, Access::Read),
        Deed::Fail { at: Some(at), kind, .. } if *kind != FailureKind::Race => (at, Access::Read),
        Deed::Unlock(at) | Deed::Free { at, .. } => (at, Access::Write),
        Deed::Lock { at, .. }
        | Deed::StartWaiting(at)
        | Deed::StopWaiting(at)
        | Deed::Signal { at, .. }
        | Deed::Broadcast(at) => (at, Access::Both),
        _ => return None,
    })
}
