//! Memory operations, and the events that they fetch.

use super::event::{Check, Event, EventId, Kind, Load, Pairing, Store, When, word};
use super::private::Home;
use super::sets::DepsId;
use super::step::Next;
use super::value::{Expr, Val};
use super::{Status, Threads, field, unsupported};
use crate::model::Barrier;
use crate::table::{from_word, to_word};
use raddle_ir::{Access, Order, RmwOp, Type};
use raddle_machine::code::{Op, Slot, Src, is_wide};
use raddle_machine::{Fault, ThreadId};

impl Threads<'_> {
    pub(super) fn memory_step(&mut self, thread: ThreadId, op: Op) -> Result<Next, Fault> {
        let fetched = self.fetched(thread);
        if fetched >= self.max_events.min(self.capacity) {
            self.exceeds_capacity |= fetched < self.max_events;
            return Ok(Next::Stop(Status::OutOfEvents));
        }
        match op {
            Op::Load { dst, ty, addr, access } => self.load(thread, dst, ty, addr, access),
            Op::Store { ty, addr, value, access } => self.store(thread, ty, addr, value, access),
            Op::Rmw { op, ty, dst, addr, value, order, when } => {
                let addr = self.read(thread, addr, false)?;
                let operand = self.read(thread, value, is_wide(ty))?;
                let when = match when {
                    Some((pred, wanted)) => {
                        Some(When::Compares(pred, self.read(thread, wanted, is_wide(ty))?))
                    }
                    None => None,
                };
                let rmw = ReadModifyWrite { op, ty, addr, operand, order };
                let Some(old) = self.update(thread, rmw, when)? else { return Ok(Next::Wait) };
                self.put(thread, dst, old, is_wide(ty));
                Ok(Next::Go)
            }
            Op::CmpXchg { .. } => self.compare_exchange(thread, op),
            Op::StoreCond { ty, ok, addr, value, order } => {
                let addr = self.read(thread, addr, false)?;
                let value = self.read(thread, value, is_wide(ty))?;
                self.store_conditional(thread, ok, ty, [addr, value], order)
            }
            Op::Fence { kind } => {
                let barrier = (self.rules.fence)(kind);
                self.barrier(thread, barrier, DepsId::NONE);
                Ok(Next::Go)
            }
            op => self.thread_step(thread, op),
        }
    }

    fn load(
        &mut self,
        thread: ThreadId,
        dst: Slot,
        ty: Type,
        addr: Src,
        access: Access,
    ) -> Result<Next, Fault> {
        let addr = self.read(thread, addr, false)?;
        // A load that makes a reservation is an event even while the thread is alone.
        if !(access.exclusive && self.is_alone(thread)) {
            match self.peek_private(thread, ty, addr, access.raw)? {
                Home::Shared => {}
                Home::Unknown => return Ok(Next::Wait),
                Home::Private(value) => {
                    self.put(thread, dst, value, is_wide(ty));
                    return Ok(Next::Go);
                }
            }
        }
        let (before, after) = (self.rules.load)(access.order);
        self.barrier(thread, before, DepsId::NONE);
        let ask = Ask { raw: access.raw, reserves: access.exclusive, ..Ask::NOTHING };
        let (event, value) = self.fetch_load(thread, ty, addr, ask)?;
        if access.exclusive {
            self.set(thread, field::RESERVED, to_word(Some(event)));
        }
        self.barrier(thread, after, value.deps);
        self.put(thread, dst, value, is_wide(ty));
        Ok(Next::Go)
    }

    fn store(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Src,
        value: Src,
        access: Access,
    ) -> Result<Next, Fault> {
        let addr = self.read(thread, addr, false)?;
        let value = self.read(thread, value, is_wide(ty))?;
        if let Some(next) = self.private_store(thread, ty, addr, value)? {
            return Ok(next);
        }
        let (before, after) = (self.rules.store)(access.order);
        self.barrier(thread, before, DepsId::NONE);
        self.fetch_store(thread, ty, addr, value, None)?;
        self.barrier(thread, after, DepsId::NONE);
        Ok(Next::Go)
    }

    /// A read-modify-write of the program; on a private object it is not an event. `None` if an operand is not known
    /// yet.
    fn update(
        &mut self,
        thread: ThreadId,
        rmw: ReadModifyWrite,
        when: Option<When>,
    ) -> Result<Option<Val>, Fault> {
        let ReadModifyWrite { op, ty, addr, operand, .. } = rmw;
        let waits_alone = when.is_some() && self.is_alone(thread);
        let home = match waits_alone {
            true => Home::Shared,
            false => self.peek_private(thread, ty, addr, false)?,
        };
        let old = match home {
            Home::Shared => {
                let ask = Ask { when, ..Ask::UPDATE };
                return self.read_modify_write(thread, rmw, ask).map(Some);
            }
            Home::Unknown => return Ok(None),
            Home::Private(old) => old,
        };
        if when.is_some() {
            return Err(unsupported("waits for a value of a private object"));
        }
        let deps = self.deps.union(old.deps, operand.deps);
        let expr = Expr::Rmw { op, ty, old, operand };
        let new = self.nodes.result(&mut self.trail, expr, deps);
        self.private_store(thread, ty, addr, new)?;
        Ok(Some(old))
    }

    /// Fetches both halves of a read-modify-write; returns the old value.
    pub(super) fn read_modify_write(
        &mut self,
        thread: ThreadId,
        rmw: ReadModifyWrite,
        ask: Ask,
    ) -> Result<Val, Fault> {
        let ReadModifyWrite { op, ty, addr, operand, order } = rmw;
        let (before, after) = (self.rules.rmw)(order);
        self.barrier(thread, before, DepsId::NONE);
        let waits = ask.when.is_some();
        let (read, old) = self.fetch_load(thread, ty, addr, ask)?;
        let deps = self.deps.union(old.deps, operand.deps);
        let expr = Expr::Rmw { op, ty, old, operand };
        let new = self.nodes.result(&mut self.trail, expr, deps);
        self.fetch_store(thread, ty, addr, new, Some(read))?;
        // One that waits stands for a loop, and a loop ends in a branch.
        if waits {
            self.follows(thread, old);
        }
        self.barrier(thread, after, old.deps);
        Ok(old)
    }

    fn compare_exchange(&mut self, thread: ThreadId, op: Op) -> Result<Next, Fault> {
        let Op::CmpXchg { ty, dst, ok, addr, expected, new, order, failure } = op else {
            return Ok(Next::Go);
        };
        let wide = is_wide(ty);
        let swap = Swap {
            ty,
            addr: self.read(thread, addr, false)?,
            expected: self.read(thread, expected, wide)?,
            new: self.read(thread, new, wide)?,
            order,
            failure,
            check: None,
        };
        let Some((old, stored)) = self.compare_and_swap(thread, swap)? else {
            return Ok(Next::Wait);
        };
        self.put(thread, dst, old, wide);
        self.put(thread, ok, stored, false);
        Ok(Next::Go)
    }

    /// A compare-and-swap branches on the value that it reads. Returns the old value and whether it wrote, once
    /// that is known.
    pub(super) fn compare_and_swap(
        &mut self,
        thread: ThreadId,
        swap: Swap,
    ) -> Result<Option<(Val, Val)>, Fault> {
        let Swap { ty, addr, expected, new, order, failure, check } = swap;
        // An operation on a lock is an event even while the thread is alone.
        if !(check.is_some() && self.is_alone(thread)) {
            match self.peek_private(thread, ty, addr, false)? {
                Home::Shared => {}
                Home::Unknown => return Ok(None),
                Home::Private(old) => return self.private_swap(thread, swap, old),
            }
        }
        let read = match from_word(self.get(thread, field::PHASE)) {
            Some(read) => read,
            None => {
                let (before, _) = (self.rules.rmw)(order);
                self.barrier(thread, before, DepsId::NONE);
                let ask = Ask { check, pairing: Pairing::If(expected), ..Ask::NOTHING };
                let (read, _) = self.fetch_load(thread, ty, addr, ask)?;
                self.set(thread, field::PHASE, to_word(Some(read)));
                read
            }
        };
        let old = self.loaded(read);
        let Some(stored) = self.compare(thread, old, expected) else { return Ok(None) };
        self.set(thread, field::PHASE, 0);
        let after = if stored.bits != 0 {
            self.fetch_store(thread, ty, addr, new, Some(read))?;
            (self.rules.rmw)(order).1
        } else {
            (self.rules.rmw)(failure).1
        };
        self.barrier(thread, after, old.deps);
        Ok(Some((old, stored)))
    }

    fn private_swap(
        &mut self,
        thread: ThreadId,
        swap: Swap,
        old: Val,
    ) -> Result<Option<(Val, Val)>, Fault> {
        let Swap { ty, addr, expected, new, .. } = swap;
        let Some(stored) = self.compare(thread, old, expected) else { return Ok(None) };
        if stored.bits != 0 {
            self.private_store(thread, ty, addr, new)?;
        }
        Ok(Some((old, stored)))
    }

    /// Branches on whether two values are equal, once both are known.
    fn compare(&mut self, thread: ThreadId, a: Val, b: Val) -> Option<Val> {
        let equal = self.value(a)? == self.value(b)?;
        let deps = self.deps.union(a.deps, b.deps);
        let equal = Val { bits: equal.into(), node: None, deps };
        self.branch_on(thread, equal);
        Some(equal)
    }

    /// A store-conditional fails without a reservation; with one, it may succeed or fail.
    fn store_conditional(
        &mut self,
        thread: ThreadId,
        ok: Slot,
        ty: Type,
        [addr, value]: [Val; 2],
        order: Order,
    ) -> Result<Next, Fault> {
        let reserved = from_word(self.get(thread, field::RESERVED));
        let stores = match reserved {
            None => false,
            Some(_) => match self.take_choice(thread) {
                None => return Ok(self.choose_when_certain(thread)),
                Some(choice) => choice == 0,
            },
        };
        self.set(thread, field::RESERVED, 0);
        if let (true, Some(read)) = (stores, reserved) {
            let (before, after) = (self.rules.store)(order);
            self.barrier(thread, before, DepsId::NONE);
            self.fetch_store(thread, ty, addr, value, Some(read))?;
            self.barrier(thread, after, DepsId::NONE);
        }
        self.put(thread, ok, Val::known(stores.into()), false);
        Ok(Next::Go)
    }

    /// The value that a fetched load gives.
    pub(super) fn loaded(&mut self, read: EventId) -> Val {
        let event = self.events[read];
        let deps = self.deps.just(event.po);
        Val { bits: 0, node: event.load().map(|load| load.node), deps }
    }

    pub(super) fn barrier(&mut self, thread: ThreadId, barrier: Barrier, loaded: DepsId) {
        if barrier == Barrier::NOTHING {
            return;
        }
        let events = u64::from(self.fetched(thread));
        if barrier.has(Barrier::FULL) {
            self.full_fence(thread);
        }
        if barrier.has(Barrier::LIGHT) {
            self.set(thread, field::LIGHT, events);
        }
        if barrier.has(Barrier::STORES) {
            self.set(thread, field::STORES, events);
        }
        if barrier.has(Barrier::ACQUIRE) {
            let ctrl = self.deps.union(self.deps_of(thread, field::CTRL), loaded);
            self.set(thread, field::CTRL, ctrl.0.into());
        }
        if barrier.has(Barrier::ACQUIRE) || barrier.has(Barrier::CONTEXT) {
            let ctrl = self.get(thread, field::CTRL);
            self.set(thread, field::ISYNC, ctrl);
        }
    }

    pub(super) fn fetch_load(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Val,
        ask: Ask,
    ) -> Result<(EventId, Val), Fault> {
        let node = self.nodes.make(&mut self.trail, Expr::Load);
        let Ask { when, check, pairing, raw, reserves } = ask;
        let kind = Kind::Load(Load { node, when, check, pairing, raw, reserves });
        let event = self.fetch(thread, ty, addr, kind)?;
        Ok((event, self.loaded(event)))
    }

    pub(super) fn fetch_store(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Val,
        value: Val,
        read: Option<EventId>,
    ) -> Result<EventId, Fault> {
        // Whether a read-modify-write changes its value is found at the loop head: `leaves_shared_memory`.
        if read.is_none() {
            self.note_change(thread);
        }
        self.fetch(thread, ty, addr, Kind::Store(Store { value, read }))
    }

    fn fetch(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Val,
        kind: Kind,
    ) -> Result<EventId, Fault> {
        if !ty.bits().is_multiple_of(8) && ty.bits() != 1 {
            return Err(unsupported(format!("a shared access of type {ty}")));
        }
        let count = self.trail.get(self.event_count);
        self.trail.set(self.event_count, count + 1);
        let id = EventId(count as u32);
        let dd = match kind {
            Kind::Load(_) => addr.deps,
            Kind::Store(store) => self.deps.union(addr.deps, store.value.deps),
        };
        let ctrl = self.deps_of(thread, field::CTRL);
        let addresses = self.deps_of(thread, field::ADDRESSES);
        let cc = self.deps.union(ctrl, addresses);
        let words = match self.events.get(id) {
            Some(old) => old.words,
            None => self.trail.reserve(word::ALL),
        };
        let po = self.fetched(thread);
        let event = Event {
            thread,
            po,
            kind,
            ty,
            addr,
            at: self.place(thread),
            dd,
            cc,
            ci: self.deps_of(thread, field::ISYNC),
            before: self.deps.union(dd, cc),
            full: self.clock(thread),
            light: self.get(thread, field::LIGHT) as u32,
            stores: self.get(thread, field::STORES) as u32,
            words,
        };
        self.events.put(id, event);
        self.note_event(thread, id);
        let events = &mut self.records[thread].events;
        match events.get_mut(po as usize) {
            Some(old) => *old = id,
            None => events.push(id),
        }
        // Later accesses wait until this address is known (`addr;po` of commit-before): they could be to the
        // same location.
        let addresses = self.deps.union(addresses, addr.deps);
        self.set(thread, field::ADDRESSES, addresses.0.into());
        self.set(thread, field::EVENTS, u64::from(po) + 1);
        if let Err(fault) = self.locate(id) {
            // An event at an invalid address does not happen.
            self.set(thread, field::EVENTS, po.into());
            return Err(fault);
        }
        Ok(id)
    }
}

/// The special properties of a load.
pub(super) struct Ask {
    pub when: Option<When>,
    pub check: Option<Check>,
    pub pairing: Pairing,
    pub raw: bool,
    pub reserves: bool,
}

impl Ask {
    pub(super) const NOTHING: Ask =
        Ask { when: None, check: None, pairing: Pairing::None, raw: false, reserves: false };
    /// A read-modify-write that always writes.
    pub(super) const UPDATE: Ask = Ask { pairing: Pairing::Always, ..Ask::NOTHING };
}

#[derive(Clone, Copy)]
pub(super) struct Swap {
    pub ty: Type,
    pub addr: Val,
    pub expected: Val,
    pub new: Val,
    pub order: Order,
    pub failure: Order,
    pub check: Option<Check>,
}

#[derive(Clone, Copy)]
pub(super) struct ReadModifyWrite {
    pub op: RmwOp,
    pub ty: Type,
    pub addr: Val,
    pub operand: Val,
    pub order: Order,
}
