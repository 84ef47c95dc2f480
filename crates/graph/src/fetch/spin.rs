//! Loops that spin, and bounds on loops: docs/loops.md.
//!
//! As in the machine, a thread is stopped if its state at the head of a loop is that of its last visit and it has
//! done nothing in between that others can see. States are compared by the live registers: each must hold
//! the same value, or wait for the same node.
//!
//! Whether two values that wait for different loads are equal is not known yet. If only that is unknown, the thread
//! waits at the head ([`Head::Wait`]), as it does at a branch. Under POWER and ARM a load may read from a store of
//! another thread that depends on later events of the load's own thread, and those must be fetched first.
//! So where nothing can be committed, a thread *speculates* ([`Threads::speculate`]): it passes
//! the head once before it is known whether it spins. It does not speculate a second time before the first is
//! settled; where that may hide executions, a bound is reported.

use super::event::{EventId, Kind, Location, Store};
use super::sets::DepsId;
use super::value::{Expr, NodeId, Val};
use super::{Status, Threads, field};
use crate::graph::RowId;
use crate::table::{from_word, to_word};
use raddle_ir::{BinOp, FuncId, IntPred, Pred, Type};
use raddle_machine::code::{LoopId, Op, Slot, is_wide};
use raddle_machine::live::{RegSet, live_at_starts};
use raddle_machine::{Rounds, Spin, ThreadId};
use rustc_hash::FxHashMap;
use std::mem::replace;

/// The states of threads at the heads of loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The registers that are live at the starts of blocks.
    sets: FxHashMap<FuncId, Vec<RegSet>>,
    /// The values of live registers, by number.
    seen: Vec<Held>,
    numbers: FxHashMap<Held, u64>,
}

/// The next action of a thread at the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head {
    Pass,
    Stop(Status),
    /// It waits until it is known whether it spins.
    Wait,
}

/// Whether all parts are true, if that is known.
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

/// How many values in its own memory a thread has changed, by the word in its record.
fn changed_values(word: u64) -> Val {
    Val { bits: 0, node: from_word(word), deps: DepsId::NONE }
}

/// Turns that a spinning thread is given in a trial to come back.
const MAX_TURNS: u32 = 10_000;

/// Events that it may fetch in a trial.
const MAX_TRIAL_EVENTS: u32 = 1_024;

/// The contents of registers: bits, or a node.
type Held = Vec<(u128, Option<NodeId>)>;

impl Threads<'_> {
    /// Counts an effect of a thread that others can see.
    pub(super) fn note_change(&mut self, thread: ThreadId) {
        if self.code.may_spin {
            let changes = self.get(thread, field::CHANGES);
            self.set(thread, field::CHANGES, changes + 1);
        }
    }

    /// Counts a value that a thread replaced in its own memory. Whether old and new value differ may not be known
    /// yet, so the count is an expression.
    pub(super) fn note_overwrite(&mut self, thread: ThreadId, ty: Type, old: Val, new: Val) {
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
        self.set(thread, field::OVERWRITES, to_word(Some(sum)));
    }

    /// Whether a thread has left its own memory unchanged since a visit, if that is known.
    fn leaves_private_memory(&self, thread: ThreadId, before: u64) -> Option<bool> {
        let now = self.get(thread, field::OVERWRITES);
        if before == now {
            return Some(true);
        }
        Some(self.value(changed_values(before))? == self.value(changed_values(now))?)
    }

    pub(super) fn enter_loop(&mut self, thread: ThreadId, id: LoopId) {
        let slot = self.code.loops[id.0 as usize].slot;
        let word = self.loop_words(thread, slot);
        self.trail.set(word, 0);
    }

    /// Decides whether a thread passes the head of a loop.
    pub(super) fn reach_head(&mut self, thread: ThreadId, id: LoopId) -> Head {
        let known = self.code.loops[id.0 as usize];
        // Three slots of two words each: the count of iterations; at the last visit, the number of the live
        // values and the events fetched; and the effects until then, shared and private.
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
                let leaves = both(self.leaves_private_memory(thread, own), || {
                    self.leaves_shared_memory(thread, round)
                });
                both(leaves, || self.same_registers(before, now))
            }
        };
        let speculates = self.get(thread, field::SPECULATED) == u64::from(self.fetched(thread)) + 1;
        if is_same.is_none() && !speculates {
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

    /// Whether a thread waits at the head of a loop until it is known whether it spins.
    fn is_at_head(&self, thread: ThreadId) -> bool {
        self.status(thread) == Status::Ready && self.code.loop_at(self.pc(thread)).is_some()
    }

    /// Whether a thread waits at the head of a loop that it could pass by speculating: its later stores are not
    /// fetched yet, so the search cannot conclude that they do not exist.
    pub(crate) fn waits_at_loop_head(&self) -> bool {
        !self.rules.commits_in_program_order
            && self.code.may_spin
            && self.ids().any(|thread| self.is_at_head(thread))
    }

    /// Whether a thread may speculate: it waits at a head, and its last speculation is settled.
    pub(crate) fn may_speculate(&self, thread: ThreadId) -> bool {
        !self.rules.commits_in_program_order
            && self.is_at_head(thread)
            && self.get(thread, field::SPECULATED) <= u64::from(self.settled(thread)) + 1
    }

    /// Lets a thread that waits at the head of a loop pass it, if there is one that may; then fetches.
    pub(crate) fn speculate(&mut self) -> bool {
        let Some(thread) = self.ids().find(|thread| self.may_speculate(*thread)) else {
            return false;
        };
        let fetched = self.fetched(thread);
        self.set(thread, field::SPECULATED, u64::from(fetched) + 1);
        self.run_all();
        true
    }

    /// A thread that would have to speculate a second time: executions in which it does are not explored.
    pub(crate) fn exhausted_speculation(&self) -> Option<ThreadId> {
        let in_order = self.rules.commits_in_program_order;
        let mut threads = self.ids().filter(|_| !in_order);
        threads.find(|thread| self.is_at_head(*thread) && !self.may_speculate(*thread))
    }

    /// Records a visit of the head of a loop, with the number of the live values.
    fn visit(&mut self, thread: ThreadId, id: LoopId, now: u64) {
        let slot = self.code.loops[id.0 as usize].slot;
        let seen = self.loop_words(thread, Slot(slot.0 + 1));
        let changed = self.loop_words(thread, Slot(slot.0 + 2));
        let (events, changes) = (self.fetched(thread), self.get(thread, field::CHANGES));
        self.trail.set(seen, now);
        self.trail.set(seen.at(1), events.into());
        self.trail.set(changed, changes);
        self.trail.set(changed.at(1), self.get(thread, field::OVERWRITES));
    }

    /// Lets a thread that spins take another turn in a trial.
    fn resume(&mut self, thread: ThreadId) {
        let pc = self.pc(thread);
        if let Op::LoopHead(id) = self.code.op(pc) {
            // The count of iterations starts again: a bound must not end a trial.
            self.enter_loop(thread, id);
            let now = self.live_values(thread, id);
            self.visit(thread, id, now);
        }
        self.set(thread, field::PC, u64::from(pc.0) + 1);
        self.set_status(thread, Status::Ready);
    }

    /// Whether all read-modify-writes from an event on wrote the value that they read, if that is known.
    fn leaves_shared_memory(&self, thread: ThreadId, from: u32) -> Option<bool> {
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

    /// Whether two visits found the same live values, if that is known.
    fn same_registers(&self, a: u64, b: u64) -> Option<bool> {
        let (a, b) = (&self.spin.seen[a as usize - 1], &self.spin.seen[b as usize - 1]);
        let value = |(bits, node)| self.value(Val { bits, node, deps: DepsId::NONE });
        if a.len() != b.len() {
            return Some(false);
        }
        all(a.iter().zip(b).map(|(a, b)| match a == b {
            true => Some(true),
            false => Some(value(*a)? == value(*b)?),
        }))
    }

    /// A number for the values of the live registers at the head of a loop.
    fn live_values(&mut self, thread: ThreadId, id: LoopId) -> u64 {
        let known = self.code.loops[id.0 as usize];
        let program = self.program;
        let sets = self.spin.sets.entry(known.func);
        sets.or_insert_with(|| live_at_starts(&program.funcs[known.func]));
        let live = &self.spin.sets[&known.func][known.head.as_u32() as usize];
        let regs = &self.code.funcs[known.func.as_u32() as usize].regs;
        let mut held = Held::new();
        for (n, (slot, ty)) in regs.iter().enumerate() {
            if live.contains(n) {
                let value = self.own_register(thread, *slot, is_wide(*ty));
                held.push((value.bits, value.node));
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

    /// Tries how a thread that spins continues if no other thread does anything, so that every load reads the last
    /// value of its location, which `last` gives. Everything is undone afterwards.
    pub(crate) fn spin_of(
        &mut self,
        thread: ThreadId,
        last: impl Fn(&Self, Location) -> Option<u128>,
    ) -> Spin {
        let mark = self.trail.mark();
        // Events of a trial are never added to the graph, so neither its capacity nor the bound on events applies.
        let most = self.fetched(thread) + MAX_TRIAL_EVENTS;
        let limits = (replace(&mut self.max_events, most), replace(&mut self.capacity, most));
        let spin = self.run_alone(thread, last);
        (self.max_events, self.capacity) = limits;
        self.trail.backtrack(mark);
        spin
    }

    /// The trial itself. The thread may come to the head of another loop in the state of its last visit there,
    /// although a value that it has read in between has changed since: it gets another turn there, too.
    fn run_alone(
        &mut self,
        thread: ThreadId,
        last: impl Fn(&Self, Location) -> Option<u128>,
    ) -> Spin {
        let mut rounds = Rounds::default();
        for _ in 0..MAX_TURNS {
            match self.status(thread) {
                // Loads or stores that it has fetched are not committed yet.
                Status::Spinning if self.settled(thread) < self.fetched(thread) => {
                    if !self.commit_last_values(thread, &last) {
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
                    if !self.commit_last_values(thread, &last) {
                        return Spin::Leaves;
                    }
                }
                _ => return Spin::Leaves,
            }
            self.run(thread);
        }
        Spin::Leaves
    }

    /// Commits all open events of a thread in a trial, with the last values; false if there are none, or if one of
    /// them would have an effect that others can see.
    fn commit_last_values(
        &mut self,
        thread: ThreadId,
        last: &impl Fn(&Self, Location) -> Option<u128>,
    ) -> bool {
        let open: Vec<EventId> = self.uncommitted(thread).collect();
        !open.is_empty()
            && open.into_iter().all(|id| {
                let found = self.location(id).and_then(|location| last(self, location));
                found.is_some_and(|found| self.commit_last_value(id, found))
            })
    }

    fn commit_last_value(&mut self, id: EventId, found: u128) -> bool {
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
        // The row is not looked up before the trial is undone.
        self.commit(id, RowId(0));
        true
    }
}
