//! The traces of one thread for arbitrary behaviour of the other threads.
//!
//! A load may return any value that some trace of some thread, with loads that return such values,
//! stores to the place. This is a superset of the possible values: in an allowed execution the
//! value of a store comes, through rf and the dependencies in threads, from loads that are not
//! after it, because the models include both in happens-before. So the number of rounds to find the values
//! is at most the number of stores that depend on loads.

use super::Hardware;
use super::mapping::{self, After, Barrier};
use crate::arith;
use crate::deps::Deps;
use crate::layout::{Extent, Places};
use crate::local::{Context, Thread};
use crate::outcome::Trouble;
use raddle_ir::{InstKind, Operand, Order, Reg, RmwOp, ThreadIdx, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The possible values at each place; a place that is missing has its initial value.
pub(super) type Values = BTreeMap<Extent, BTreeSet<u128>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Read,
    Write,
}

/// A load or store, with its relations to the other accesses of the thread.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub direction: Direction,
    pub place: Extent,
    pub value: u128,
    pub addr: Deps,
    pub data: Deps,
    pub control: Deps,
    /// The part of `control` whose branches have an instruction barrier after them.
    pub control_fenced: Deps,
    /// For the store of a read-modify-write: the number of its load.
    pub pair: Option<usize>,
    pub barriers: Barriers,
}

/// The number of barriers of the thread before an access, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Barriers {
    pub full: usize,
    pub light: usize,
    pub stores: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub local: Thread,
    pub accesses: Vec<Access>,
    barriers: Barriers,
    control_fenced: Deps,
    /// The load that holds the thread's reservation.
    reservation: Option<usize>,
    /// Dependencies on branches that the mapping introduced, not the program.
    mapped_control: Deps,
}

/// A load or store that is about to be executed.
struct Request {
    direction: Direction,
    place: Extent,
    addr: Deps,
}

impl Trace {
    fn barrier(&mut self, barrier: Barrier) {
        match barrier {
            Barrier::Full => self.barriers.full += 1,
            Barrier::Light => self.barriers.light += 1,
            Barrier::Stores => self.barriers.stores += 1,
            Barrier::Instructions => self.control_fenced = self.control(),
        }
    }

    fn control(&self) -> Deps {
        self.local.control().and(self.mapped_control)
    }

    fn access(&mut self, request: &Request, value: u128, data: Deps) -> Result<usize, Trouble> {
        let index = self.accesses.len();
        if index == Deps::MAX_ACCESSES {
            return Err(Trouble::Budget);
        }
        self.accesses.push(Access {
            direction: request.direction,
            place: request.place,
            value,
            addr: request.addr,
            data,
            control: self.control(),
            control_fenced: self.control_fenced,
            pair: None,
            barriers: self.barriers,
        });
        Ok(index)
    }

    /// The store of a read-modify-write; its load was the previous access.
    fn paired_write(
        &mut self,
        request: &Request,
        load: usize,
        value: u128,
        data: Deps,
    ) -> Result<(), Trouble> {
        let write = Request { direction: Direction::Write, ..*request };
        let index = self.access(&write, value, data)?;
        self.accesses[index].pair = Some(load);
        Ok(())
    }

    fn after(&mut self, after: After, read: Deps) {
        match after {
            After::Nothing => {}
            After::Barrier(barrier) => self.barrier(barrier),
            After::BranchAndInstructions => {
                self.mapped_control = self.mapped_control.and(read);
                self.barrier(Barrier::Instructions);
            }
        }
    }
}

/// The value that a read-modify-write stores.
enum Update {
    Modify(RmwOp, Operand),
    /// The expected and the new value, and the register that tells whether they were exchanged.
    Exchange(Operand, Operand, Reg),
}

struct Modification {
    dst: Reg,
    ty: Type,
    addr: Operand,
    order: Order,
    failure: Order,
    update: Update,
}

pub(super) struct Traces<'c, 'p> {
    pub cx: &'c Context<'p>,
    pub model: Hardware,
    pub values: Values,
    pub places: Places,
    /// The maximum number of partial traces of one thread in one round.
    pub budget: u64,
}

impl Traces<'_, '_> {
    /// Every trace of a thread in which loads return the values known so far.
    pub(super) fn of(&mut self, thread: ThreadIdx) -> Result<Vec<Trace>, Trouble> {
        let local = Thread::initial(self.cx, thread)?;
        let mut open = vec![Trace {
            local,
            accesses: Vec::new(),
            barriers: Barriers::default(),
            control_fenced: Deps::NONE,
            reservation: None,
            mapped_control: Deps::NONE,
        }];
        let (mut complete, mut seen) = (Vec::new(), 0);
        while let Some(trace) = open.pop() {
            seen += 1;
            if seen > self.budget {
                return Err(Trouble::Budget);
            }
            match trace.local.at(self.cx) {
                None => complete.push(trace),
                Some(inst) => open.extend(self.step(trace, inst)?),
            }
        }
        Ok(complete)
    }

    fn values_at(&self, place: Extent) -> Vec<u128> {
        let known = self.values.get(&place);
        known.map_or_else(|| vec![self.cx.layout.initial(place)], |v| v.iter().copied().collect())
    }

    fn step(&mut self, mut trace: Trace, inst: &InstKind) -> Result<Vec<Trace>, Trouble> {
        let cx = self.cx;
        match *inst {
            InstKind::Fence { kind } => {
                if let Some(barrier) = self.model.fence(kind) {
                    trace.barrier(barrier);
                }
                trace.local.finish_inst(cx)?;
                Ok(vec![trace])
            }
            InstKind::Choose { dst, lo, hi, .. } => (lo..=hi)
                .map(|value| {
                    let mut next = trace.clone();
                    next.local.set(dst, value.into());
                    next.local.finish_inst(cx)?;
                    Ok(next)
                })
                .collect(),
            InstKind::Load { dst, ty, addr, access } => self.load(trace, dst, ty, addr, access),
            InstKind::Store { ty, addr, value, access } => {
                let Some(request) = self.request(&mut trace, Direction::Write, addr, ty)? else {
                    return Ok(vec![trace]);
                };
                self.before(&mut trace, mapping::Access::Store, access.order);
                let written = trace.local.value(cx, value, ty);
                trace.access(&request, written, trace.local.deps(value))?;
                trace.after(self.model.after(mapping::Access::Store, access.order), Deps::NONE);
                trace.local.finish_inst(cx)?;
                Ok(vec![trace])
            }
            InstKind::StoreCond { ty, ok, addr, value, access } => {
                self.store_conditional(trace, ok, ty, [addr, value], access.order)
            }
            InstKind::Rmw { op, ty, dst, addr, value, access, when: None } => {
                let update = Update::Modify(op, value);
                let (order, failure) = (access.order, access.order);
                self.modify(trace, &Modification { dst, ty, addr, order, failure, update })
            }
            InstKind::CmpXchg { ty, dst, ok, addr, expected, new, success, failure, .. } => {
                let update = Update::Exchange(expected, new, ok);
                let order = success.order;
                self.modify(trace, &Modification { dst, ty, addr, order, failure, update })
            }
            _ => Trouble::unsupported(format!("in the oracle of weak models: {inst:?}")),
        }
    }

    /// The place of an access; `None` if it is invalid, in which case the thread has ended.
    fn request(
        &mut self,
        trace: &mut Trace,
        direction: Direction,
        addr: Operand,
        ty: Type,
    ) -> Result<Option<Request>, Trouble> {
        let place = Extent::new(trace.local.address(self.cx, addr), ty);
        if !self.cx.layout.allows(place, direction == Direction::Write) {
            trace.local.fail();
            return Ok(None);
        }
        self.places.note(place)?;
        Ok(Some(Request { direction, place, addr: trace.local.deps(addr) }))
    }

    fn before(&self, trace: &mut Trace, access: mapping::Access, order: Order) {
        if let Some(barrier) = self.model.before(access, order) {
            trace.barrier(barrier);
        }
    }

    fn load(
        &mut self,
        mut trace: Trace,
        dst: Reg,
        ty: Type,
        addr: Operand,
        access: raddle_ir::Access,
    ) -> Result<Vec<Trace>, Trouble> {
        let Some(request) = self.request(&mut trace, Direction::Read, addr, ty)? else {
            return Ok(vec![trace]);
        };
        self.before(&mut trace, mapping::Access::Load, access.order);
        let after = self.model.after(mapping::Access::Load, access.order);
        let read = |value| {
            let mut next = trace.clone();
            let index = next.access(&request, value, Deps::NONE)?;
            next.local.set_from(dst, value & ty.mask(), Deps::on(index));
            if access.exclusive {
                next.reservation = Some(index);
            }
            next.after(after, Deps::on(index));
            next.local.finish_inst(self.cx)?;
            Ok(next)
        };
        self.values_at(request.place).into_iter().map(read).collect()
    }

    /// A store-conditional may fail for any reason; it can succeed if the thread has a reservation of its place.
    /// Its success does not depend on the loaded value, so it is not a dependency.
    fn store_conditional(
        &mut self,
        mut trace: Trace,
        ok: Reg,
        ty: Type,
        [addr, value]: [Operand; 2],
        order: Order,
    ) -> Result<Vec<Trace>, Trouble> {
        let Some(request) = self.request(&mut trace, Direction::Write, addr, ty)? else {
            return Ok(vec![trace]);
        };
        let reserved = trace.reservation.take();
        let reserved = reserved.filter(|load| trace.accesses[*load].place == request.place);
        let mut ends = Vec::new();
        if let Some(load) = reserved {
            let mut next = trace.clone();
            self.before(&mut next, mapping::Access::Store, order);
            let written = next.local.value(self.cx, value, ty);
            let data = next.local.deps(value);
            next.paired_write(&request, load, written, data)?;
            next.after(self.model.after(mapping::Access::Store, order), Deps::NONE);
            next.local.set(ok, 1);
            next.local.finish_inst(self.cx)?;
            ends.push(next);
        }
        trace.local.set(ok, 0);
        trace.local.finish_inst(self.cx)?;
        ends.push(trace);
        Ok(ends)
    }

    /// An atomic read-modify-write: a load and, unless the comparison fails, a store.
    fn modify(&mut self, mut trace: Trace, m: &Modification) -> Result<Vec<Trace>, Trouble> {
        let writes = self.request(&mut trace, Direction::Write, m.addr, m.ty)?;
        let Some(request) = writes.map(|r| Request { direction: Direction::Read, ..r }) else {
            return Ok(vec![trace]);
        };
        self.before(&mut trace, mapping::Access::ReadModifyWrite, m.order);
        let step = |old| self.modify_from(trace.clone(), m, &request, old);
        self.values_at(request.place).into_iter().map(step).collect()
    }

    fn modify_from(
        &self,
        mut trace: Trace,
        m: &Modification,
        request: &Request,
        old: u128,
    ) -> Result<Trace, Trouble> {
        let value = |trace: &Trace, operand| trace.local.value(self.cx, operand, m.ty);
        let load = trace.access(request, old, Deps::NONE)?;
        let read = Deps::on(load);
        let mut order = m.order;
        match m.update {
            Update::Modify(op, operand) => {
                let new = arith::modify(op, m.ty, old, value(&trace, operand))?;
                // This also holds for an exchange: its store-conditional cannot run before the load makes the reservation.
                let data = trace.local.deps(operand).and(read);
                trace.paired_write(request, load, new, data)?;
            }
            Update::Exchange(expected, new, ok) => {
                let same = old == value(&trace, expected);
                let compared = read.and(trace.local.deps(expected));
                trace.mapped_control = trace.mapped_control.and(compared);
                if same {
                    let (written, data) = (value(&trace, new), trace.local.deps(new));
                    trace.paired_write(request, load, written, data)?;
                } else {
                    order = m.failure;
                }
                trace.local.set_from(ok, same.into(), compared);
            }
        }
        trace.local.set_from(m.dst, old, read);
        trace.after(self.model.after(mapping::Access::ReadModifyWrite, order), read);
        trace.local.finish_inst(self.cx)?;
        Ok(trace)
    }
}
