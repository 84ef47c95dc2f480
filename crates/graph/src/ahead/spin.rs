//! Loops that spin, and bounds on loops: docs/loops.md.
//!
//! As in the machine, a thread that is at the head of a loop as it was at its last visit, and did
//! nothing in between that others can see, is stopped. It is compared by the registers that are live
//! there: each must have the same value, or still wait for the same.

use super::event::{EventId, Kind, Location, Store};
use super::sets::DepsId;
use super::value::{NodeId, Val};
use super::{Ahead, Status, field};
use raddle_ir::FuncId;
use raddle_machine::code::{LoopId, Op, Slot, is_wide};
use raddle_machine::live::{RegSet, live_at_starts};
use raddle_machine::{Rounds, Spin};
use rustc_hash::FxHashMap;

/// What was seen at heads of loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The registers that are live at the starts of blocks.
    sets: FxHashMap<FuncId, Vec<RegSet>>,
    /// What they held, by number: bits, and the node plus 1 if there is one.
    seen: Vec<Held>,
    numbers: FxHashMap<Held, u64>,
}

/// Turns that a thread which spins is given to come back.
const MOST: u32 = 10_000;

type Held = Vec<(u128, u32)>;

impl Ahead<'_> {
    /// Notes that a thread did something that others can see.
    pub(super) fn note_change(&mut self, thread: u32) {
        if self.code.may_spin {
            let changes = self.get(thread, field::CHANGES);
            self.set(thread, field::CHANGES, changes + 1);
        }
    }

    pub(super) fn enter_loop(&mut self, thread: u32, id: LoopId) {
        let slot = self.code.loops[id.0 as usize].slot;
        let word = self.loop_words(thread, slot);
        self.trail.set(word, 0);
    }

    /// Is at the head of a loop: how to stop there, if it is to.
    pub(super) fn pass_head(&mut self, thread: u32, id: LoopId) -> Option<Status> {
        let known = self.code.loops[id.0 as usize];
        // Three slots of two words each: the count of iterations; what was seen and after how many
        // events; and the changes until then.
        let count = self.loop_words(thread, known.slot);
        let seen = self.loop_words(thread, Slot(known.slot.0 + 1));
        let changed = self.loop_words(thread, Slot(known.slot.0 + 2));
        if let Some(most) = self.bounds.unroll {
            let rounds = self.trail.get(count);
            if rounds > most.into() {
                return Some(Status::Unrolled);
            }
            self.trail.set(count, rounds + 1);
        }
        if !known.may_spin {
            return None;
        }
        let now = self.live_values(thread, id);
        let changes = self.get(thread, field::CHANGES);
        let before = self.trail.get(seen);
        let round = self.trail.get(seen.at(1));
        if before != 0
            && self.trail.get(changed) == changes
            && self.are_same(before, now)
            && self.leaves_values(thread, round as u32)
        {
            return Some(Status::Spinning);
        }
        self.visit(thread, id, now);
        None
    }

    /// Remembers a visit of the head of a loop, and the number of what the live registers hold.
    fn visit(&mut self, thread: u32, id: LoopId, now: u64) {
        let slot = self.code.loops[id.0 as usize].slot;
        let seen = self.loop_words(thread, Slot(slot.0 + 1));
        let changed = self.loop_words(thread, Slot(slot.0 + 2));
        let (events, changes) = (self.fetched(thread), self.get(thread, field::CHANGES));
        self.trail.set(seen, now);
        self.trail.set(seen.at(1), events.into());
        self.trail.set(changed, changes);
    }

    /// Lets a thread that spins take another turn, to see whether it would still spin.
    fn resume(&mut self, thread: u32) {
        let pc = self.pc(thread);
        if let Op::LoopHead(id) = self.code.op(pc) {
            // No bound is to end it: this is no turn that the program takes.
            self.enter_loop(thread, id);
            let now = self.live_values(thread, id);
            self.visit(thread, id, now);
        }
        self.set(thread, field::PC, u64::from(pc.0) + 1);
        self.set_status(thread, Status::Ready);
    }

    /// Whether the read-modify-writes from an event on wrote what was there already.
    fn leaves_values(&self, thread: u32, from: u32) -> bool {
        (from..self.fetched(thread)).all(|po| {
            let store = self.event(self.event_at(thread, po));
            let Kind::Store(Store { value, read: Some(read) }) = store.kind else { return true };
            let Some(load) = self.event(read).load() else { return false };
            let old = Val { bits: 0, node: Some(load.node), deps: DepsId::NONE };
            self.value(value).is_some() && self.value(value) == self.value(old)
        })
    }

    /// Whether two visits found the same.
    fn are_same(&self, a: u64, b: u64) -> bool {
        let (a, b) = (&self.spin.seen[a as usize - 1], &self.spin.seen[b as usize - 1]);
        let value = |(bits, node): (u128, u32)| {
            let node = node.checked_sub(1).map(NodeId);
            self.value(Val { bits, node, deps: DepsId::NONE })
        };
        let mut pairs = a.iter().zip(b);
        a.len() == b.len()
            && pairs.all(|(a, b)| a == b || value(*a).is_some() && value(*a) == value(*b))
    }

    /// A number for what the live registers hold.
    fn live_values(&mut self, thread: u32, id: LoopId) -> u64 {
        let known = self.code.loops[id.0 as usize];
        let program = self.program;
        let sets = self.spin.sets.entry(known.func);
        sets.or_insert_with(|| live_at_starts(&program.funcs[known.func]));
        let live = &self.spin.sets[&known.func][known.head.as_u32() as usize];
        let regs = &self.code.funcs[known.func.as_u32() as usize].regs;
        let mut held = Held::new();
        for (n, (slot, ty)) in regs.iter().enumerate() {
            if live.contains(raddle_ir::Reg::from_u32(n as u32)) {
                let value = self.own_register(thread, *slot, is_wide(*ty));
                held.push((value.bits, value.node.map_or(0, |node| node.0 + 1)));
            }
        }
        if let Some(number) = self.spin.numbers.get(&held) {
            return *number;
        }
        self.spin.seen.push(held.clone());
        let number = self.spin.seen.len() as u64;
        self.spin.numbers.insert(held, number);
        number
    }

    /// How a thread that spins goes on if nothing else happens: whether it comes back to where it is with what
    /// is stored last everywhere, which `last` tells of.
    pub fn spin_of(&mut self, thread: u32, last: impl Fn(&Self, Location) -> Option<u128>) -> Spin {
        let mark = self.trail.mark();
        let spin = self.go_alone(thread, last);
        self.trail.backtrack(mark);
        spin
    }

    /// On the way it may come to the head of another loop that looks as at its last visit, which was before
    /// something changed that it has read since: it gets another turn there, too.
    fn go_alone(&mut self, thread: u32, last: impl Fn(&Self, Location) -> Option<u128>) -> Spin {
        let mut rounds = Rounds::default();
        for _ in 0..MOST {
            match self.status(thread) {
                Status::Spinning => {
                    let Some(id) = self.code.loop_at(self.pc(thread)) else { return Spin::Leaves };
                    let depth = self.get(thread, field::DEPTH);
                    if let Some(spin) = rounds.come_to(&self.code, depth, id) {
                        return spin;
                    }
                    self.resume(thread);
                }
                Status::Ready if !self.is_choosing(thread) => {
                    if !self.takes_last(thread, &last) {
                        return Spin::Leaves;
                    }
                }
                _ => return Spin::Leaves,
            }
            self.run(thread);
        }
        Spin::Leaves
    }

    /// Lets a thread have what is stored last for all its loads; false if there are none, or if something
    /// would come of it that others can see.
    fn takes_last(&mut self, thread: u32, last: &impl Fn(&Self, Location) -> Option<u128>) -> bool {
        let open = self.settled(thread)..self.fetched(thread);
        let any = !open.is_empty();
        any && open.map(|po| self.event_at(thread, po)).collect::<Vec<_>>().into_iter().all(|id| {
            let found = self.location(id).and_then(|location| last(self, location));
            found.is_some_and(|found| self.has_last(id, found))
        })
    }

    fn has_last(&mut self, id: EventId, found: u128) -> bool {
        let event = *self.event(id);
        let found = found & event.ty.mask();
        match event.kind {
            Kind::Load(load) => {
                let takes = self.accepts(&event, found) == Some(true);
                if !takes || self.misuse(&event, found).is_some() {
                    return false;
                }
                self.nodes.settle(&mut self.trail, load.node, found);
                self.locate_all(event.thread);
            }
            Kind::Store(store) => {
                let written = self.value(store.value).map(|value| value & event.ty.mask());
                if store.read.is_none() || written != Some(found) {
                    return false;
                }
            }
        }
        // Nobody looks it up in a graph before this is undone.
        self.commit(id, 0);
        true
    }
}
