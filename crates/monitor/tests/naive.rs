//! Compares the monitor with a direct implementation of figures 4 and 5 of paper 001: buffers that hold
//! stores, and happens-before as sets of events.

use raddle_monitor::{Address, Buffers, Kind, Monitor, Op, Site, Thread, Violation};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: u32,
    op: Op,
    address: u32,
}

/// A buffered store: its event, its address, and the number of earlier store fences of its thread.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    event: usize,
    address: u32,
    fences: u32,
}

#[derive(Default)]
struct Naive {
    events: Vec<Event>,
    /// The events that happen before each event, including itself.
    past: Vec<BTreeSet<usize>>,
    buffers: Vec<Vec<Waiting>>,
    fences: Vec<u32>,
    last: Vec<Option<usize>>,
}

impl Naive {
    fn new(threads: usize) -> Naive {
        Naive {
            buffers: vec![Vec::new(); threads],
            fences: vec![0; threads],
            last: vec![None; threads],
            ..Naive::default()
        }
    }

    /// The missed store, the event before the access in its thread, and the access.
    fn step(&mut self, buffers: Buffers, event: Event) -> Option<[usize; 3]> {
        let (thread, number) = (event.thread as usize, self.events.len());
        self.events.push(event);
        let mut found = None;
        let mut past = self.last[thread].map_or(BTreeSet::new(), |n| self.past[n].clone());
        if let Op::Access(kind) = event.op {
            found = self.missed(event).map(|[store, prev]| [store, prev, number]);
            self.commit(buffers, event);
            self.act(buffers, event, kind, number);
            for (n, earlier) in self.events[..number].iter().enumerate() {
                if conflict(earlier, &event) {
                    past.extend(&self.past[n]);
                }
            }
            self.last[thread] = Some(number);
        } else if event.op == Op::Fence {
            self.buffers[thread].clear();
        } else {
            self.fences[thread] += 1;
        }
        past.insert(number);
        self.past.push(past);
        found
    }

    /// A pending store to the address that happens before the thread's last event, and that event.
    fn missed(&self, event: Event) -> Option<[usize; 2]> {
        let prev = self.last[event.thread as usize]?;
        let others = (0..self.buffers.len()).filter(|n| *n != event.thread as usize);
        let waiting = others.flat_map(|n| &self.buffers[n]);
        let newest = waiting.filter(|store| store.address == event.address).max_by_key(|s| s.event);
        newest.filter(|s| self.past[prev].contains(&s.event)).map(|store| [store.event, prev])
    }

    fn commit(&mut self, buffers: Buffers, event: Event) {
        for n in (0..self.buffers.len()).filter(|n| *n != event.thread as usize) {
            let buffer = &mut self.buffers[n];
            let last = buffer.iter().rposition(|store| store.address == event.address);
            let Some(last) = last.map(|at| buffer[at]) else { continue };
            buffer.retain(|store| match buffers {
                Buffers::PerThread => store.event > last.event,
                Buffers::PerAddress => {
                    store.address != event.address && store.fences >= last.fences
                }
            });
        }
    }

    fn act(&mut self, buffers: Buffers, event: Event, kind: Kind, number: usize) {
        let fences = self.fences[event.thread as usize];
        let buffer = &mut self.buffers[event.thread as usize];
        match (kind, buffers) {
            (Kind::Read, _) => {}
            (Kind::Write, _) => {
                buffer.push(Waiting { event: number, address: event.address, fences });
            }
            (Kind::Interlocked, Buffers::PerThread) => buffer.clear(),
            (Kind::Interlocked, Buffers::PerAddress) => {
                buffer.retain(|store| store.address != event.address && store.fences == fences);
            }
        }
    }
}

fn conflict(a: &Event, b: &Event) -> bool {
    let writes = |op| matches!(op, Op::Access(Kind::Write | Kind::Interlocked));
    let accesses = matches!((a.op, b.op), (Op::Access(_), Op::Access(_)));
    accesses && a.address == b.address && (writes(a.op) || writes(b.op))
}

fn random_event(random: &mut fastrand::Rng) -> Event {
    let op = match random.u32(..12) {
        0..=4 => Op::Access(Kind::Read),
        5..=8 => Op::Access(Kind::Write),
        9 => Op::Access(Kind::Interlocked),
        10 => Op::StoreFence,
        _ => Op::Fence,
    };
    Event { thread: random.u32(..4), op, address: random.u32(..4) }
}

#[test]
fn the_monitor_is_the_papers() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut violations = [0; 2];
    for _ in 0..2_000 {
        let run: Vec<Event> = (0..40).map(|_| random_event(&mut random)).collect();
        for (which, buffers) in [Buffers::PerThread, Buffers::PerAddress].into_iter().enumerate() {
            let (mut naive, mut monitor) = (Naive::new(4), Monitor::new(buffers));
            for (n, event) in run.iter().enumerate() {
                let mut found: Vec<Violation> = Vec::new();
                let (thread, site) = (Thread(event.thread), Site(n as u32));
                monitor.step(thread, event.op, &[Address(event.address)], site, |v| found.push(v));
                let found = found.first().map(|v| v.sites().map(|site| site.0 as usize));
                let expected = naive.step(buffers, *event);
                assert_eq!(found, expected, "{buffers:?} at {n}: {run:?}");
                violations[which] += usize::from(found.is_some());
            }
        }
    }
    assert!(violations.iter().all(|count| *count > 300), "{violations:?}");
}
