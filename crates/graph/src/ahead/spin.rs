//! Loops that spin, and bounds on loops: docs/loops.md.
//!
//! As in the machine, a thread that is at the head of a loop as it was at its last visit, and did
//! nothing in between that others can see, is stopped. It is compared by the registers that are live
//! there: each must have the same value, or still wait for the same.
//!
//! Whether two values that wait for different loads are the same is not known. If it is all that is not known, the
//! thread waits at the head until it is ([`Head::Wait`]), like at a branch. Under POWER and ARM a load may read from a store that
//! depends on what its thread does later, so there the thread goes on if nothing else is left to do
//! ([`Ahead::hurry`]), one round ahead of what is known. (A second round is not gone ahead: where that might be missed, a
//! bound says so.)

use super::event::{EventId, Kind, Location, Store};
use super::sets::DepsId;
use super::value::{Expr, NodeId, Val};
use super::{Ahead, Status, field};
use raddle_ir::{BinOp, FuncId, IntPred, Pred, Type};
use raddle_machine::code::{LoopId, Op, Slot, is_wide};
use raddle_machine::live::{RegSet, live_at_starts};
use raddle_machine::{Rounds, Spin};
use rustc_hash::FxHashMap;
use std::mem::replace;

/// What was seen at heads of loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The registers that are live at the starts of blocks.
    sets: FxHashMap<FuncId, Vec<RegSet>>,
    /// What they held, by number: bits, and the node plus 1 if there is one.
    seen: Vec<Held>,
    numbers: FxHashMap<Held, u64>,
}

/// What a thread does at the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head {
    Pass,
    Stop(Status),
    /// It waits until it is known whether it spins.
    Wait,
}

/// Whether all hold, if that is known.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = false,
        }
    }
    known.then_some(true)
}

fn both(first: Option<bool>, second: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match first {
        Some(false) => first,
        _ => all([first, second()].into_iter()),
    }
}

/// How many values in its own memory a thread has changed, by the word in its record: a node plus 1, or 0.
fn changed_values(word: u64) -> Val {
    let node = word.checked_sub(1).map(|node| NodeId(node as u32));
    Val { bits: 0, node, deps: DepsId::NONE }
}

/// Turns that a thread which spins is given to come back.
const MOST: u32 = 10_000;

/// Events that it may have on the way.
const MOST_EVENTS: u32 = 1_024;

type Held = Vec<(u128, u32)>;

impl Ahead<'_> {
    /// Notes that a thread did something that others can see.
    pub(super) fn note_change(&mut self, thread: u32) {
        if self.code.may_spin {
            let changes = self.get(thread, field::CHANGES);
            self.set(thread, field::CHANGES, changes + 1);
        }
    }

    /// Notes that a thread replaced a value in its own memory. Whether that changes anything may not be known yet, so it
    /// is added to an expression.
    pub(super) fn note_overwrite(&mut self, thread: u32, ty: Type, old: Val, new: Val) {
        let other = Expr::Cmp { pred: Pred::Int(IntPred::Ne), ty, a: old, b: new };
        let other = self.nodes.result(&mut self.trail, other, DepsId::NONE);
        if other.node.is_none() {
            if other.bits != 0 {
                self.note_change(thread);
            }
            return;
        }
        let sum = changed_values(self.get(thread, field::OVERWRITES));
        let sum = Expr::Bin { op: BinOp::Add, ty: Type::I64, a: sum, b: other };
        let sum = self.nodes.make(&mut self.trail, sum);
        self.set(thread, field::OVERWRITES, u64::from(sum.0) + 1);
    }

    /// Whether what a thread wrote to its own memory since a visit was there already, if that is known.
    fn leaves_own(&self, thread: u32, before: u64) -> Option<bool> {
        let now = self.get(thread, field::OVERWRITES);
        if before == now {
            return Some(true);
        }
        Some(self.value(changed_values(before))? == self.value(changed_values(now))?)
    }

    pub(super) fn enter_loop(&mut self, thread: u32, id: LoopId) {
        let slot = self.code.loops[id.0 as usize].slot;
        let word = self.loop_words(thread, slot);
        self.trail.set(word, 0);
    }

    /// Is at the head of a loop.
    pub(super) fn pass_head(&mut self, thread: u32, id: LoopId) -> Head {
        let known = self.code.loops[id.0 as usize];
        // Three slots of two words each: the count of iterations; what was seen and after how many
        // events; and the changes until then, those of its own memory that are not known at once apart.
        let count = self.loop_words(thread, known.slot);
        let seen = self.loop_words(thread, Slot(known.slot.0 + 1));
        let changed = self.loop_words(thread, Slot(known.slot.0 + 2));
        let now = if known.may_spin { self.live_values(thread, id) } else { 0 };
        let before = self.trail.get(seen);
        let is_same = match before {
            0 => Some(false),
            _ if !known.may_spin => Some(false),
            _ if self.trail.get(changed) != self.get(thread, field::CHANGES) => Some(false),
            _ => {
                let round = self.trail.get(seen.at(1)) as u32;
                let own = self.trail.get(changed.at(1));
                let leaves =
                    both(self.leaves_own(thread, own), || self.leaves_values(thread, round));
                both(leaves, || self.are_same(before, now))
            }
        };
        let hurries = self.get(thread, field::HURRIED) == u64::from(self.fetched(thread)) + 1;
        if is_same.is_none() && !hurries {
            return Head::Wait;
        }
        if let Some(most) = known.most {
            let rounds = self.trail.get(count);
            if rounds > most.into() {
                return Head::Stop(Status::Unrolled);
            }
            self.trail.set(count, rounds + 1);
        }
        if is_same == Some(true) {
            return Head::Stop(Status::Spinning);
        }
        if known.may_spin {
            self.visit(thread, id, now);
        }
        Head::Pass
    }

    /// Whether a thread waits at the head of a loop to know whether it spins.
    fn is_at_head(&self, thread: u32) -> bool {
        self.status(thread) == Status::Ready && self.code.loop_at(self.pc(thread)).is_some()
    }

    /// Whether a thread waits at the head of a loop which could go ahead: what it would store is not seen.
    pub fn holds_back(&self) -> bool {
        !self.rules.commits_in_program_order
            && self.code.may_spin
            && (0..self.thread_count()).any(|thread| self.is_at_head(thread))
    }

    /// Whether a thread may go one round ahead of what is known.
    pub fn may_hurry(&self, thread: u32) -> bool {
        !self.rules.commits_in_program_order
            && self.is_at_head(thread)
            && self.get(thread, field::HURRIED) <= u64::from(self.settled(thread)) + 1
    }

    /// Lets a thread that waits at the head of a loop go one round ahead, if there is one that may.
    pub fn hurry(&mut self) -> bool {
        let Some(thread) = (0..self.thread_count()).find(|thread| self.may_hurry(*thread)) else {
            return false;
        };
        let fetched = self.fetched(thread);
        self.set(thread, field::HURRIED, u64::from(fetched) + 1);
        self.run_all();
        true
    }

    /// A thread that would have to go two rounds ahead of what is known: what it could do then is not explored.
    pub fn would_hurry(&self) -> Option<u32> {
        let in_order = self.rules.commits_in_program_order;
        let mut threads = (0..self.thread_count()).filter(|_| !in_order);
        threads.find(|thread| self.is_at_head(*thread) && !self.may_hurry(*thread))
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
        self.trail.set(changed.at(1), self.get(thread, field::OVERWRITES));
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

    /// Whether the read-modify-writes from an event on wrote what was there already, if that is known.
    fn leaves_values(&self, thread: u32, from: u32) -> Option<bool> {
        all((from..self.fetched(thread)).map(|po| {
            let store = self.event(self.event_at(thread, po));
            let Kind::Store(Store { value, read: Some(read) }) = store.kind else {
                return Some(true);
            };
            let Some(load) = self.event(read).load() else { return Some(false) };
            let old = Val { bits: 0, node: Some(load.node), deps: DepsId::NONE };
            Some(self.value(value)? == self.value(old)?)
        }))
    }

    /// Whether two visits found the same, if that is known.
    fn are_same(&self, a: u64, b: u64) -> Option<bool> {
        let (a, b) = (&self.spin.seen[a as usize - 1], &self.spin.seen[b as usize - 1]);
        let value = |(bits, node): (u128, u32)| {
            let node = node.checked_sub(1).map(NodeId);
            self.value(Val { bits, node, deps: DepsId::NONE })
        };
        if a.len() != b.len() {
            return Some(false);
        }
        all(a.iter().zip(b).map(|(a, b)| match a == b {
            true => Some(true),
            false => Some(value(*a)? == value(*b)?),
        }))
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
        // These are not events of the program: neither its bound on them nor the room in the graph counts.
        let most = self.fetched(thread) + MOST_EVENTS;
        let limits = (replace(&mut self.max_events, most), replace(&mut self.room, most));
        let spin = self.go_alone(thread, last);
        (self.max_events, self.room) = limits;
        self.trail.backtrack(mark);
        spin
    }

    /// On the way it may come to the head of another loop that looks as at its last visit, which was before
    /// something changed that it has read since: it gets another turn there, too.
    fn go_alone(&mut self, thread: u32, last: impl Fn(&Self, Location) -> Option<u128>) -> Spin {
        let mut rounds = Rounds::default();
        for _ in 0..MOST {
            match self.status(thread) {
                // It has run ahead of what it has read or stored.
                Status::Spinning if self.settled(thread) < self.fetched(thread) => {
                    if !self.takes_last(thread, &last) {
                        return Spin::Leaves;
                    }
                    continue;
                }
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
