//! Loads, stores, read-modify-writes and fences of the machine.

use super::world::{Entry, Event, From, ThreadName, World};
use super::{Machine, Worlds};
use crate::arith;
use crate::barriers::{self, Barrier};
use crate::layout::Extent;
use crate::outcome::Model;
use raddle_ir::{FenceKind, InstKind};

impl Machine<'_, '_> {
    /// A load, or an await, which is a load that waits for a value.
    pub(super) fn load(&mut self, world: &World, name: ThreadName, inst: &InstKind) -> Worlds {
        let (dst, ty, addr, awaited) = match *inst {
            InstKind::Load { dst, ty, addr, .. } => (dst, ty, addr, None),
            InstKind::Await { dst, ty, pred, addr, value, .. } => {
                (dst, ty, addr, Some((pred, value)))
            }
            _ => return Ok(Vec::new()),
        };
        let local = &world.threads[&name].local;
        let place = Extent::new(local.address(self.cx, addr), ty);
        if !self.check(place, false)? {
            return self.fail(world, name, None);
        }
        let (value, from) = self.visible(world, name, place);
        let value = value & ty.mask();
        if let Some((pred, wanted)) = awaited
            && !arith::compare_ints(pred, ty, value, local.value(self.cx, wanted, ty))
        {
            return Ok(Vec::new());
        }
        let mut after = world.clone();
        after.thread_mut(name).local.set(dst, value);
        self.finish(after, name, Some(Event::Read { place, value, from }))
    }

    /// The value that the thread sees at a place: its own newest buffered store there, or memory.
    fn visible(&self, world: &World, name: ThreadName, place: Extent) -> (u128, From) {
        let own = world.threads[&name].buffer.iter().rev().find(|entry| entry.place == place);
        match own {
            Some(entry) => {
                let event = super::world::EventRef { thread: name, index: entry.event };
                (entry.value, Some(event))
            }
            None => world.read(self.cx, place),
        }
    }

    pub(super) fn store(&mut self, world: &World, name: ThreadName, inst: &InstKind) -> Worlds {
        let InstKind::Store { ty, addr, value, access } = *inst else { return Ok(Vec::new()) };
        let local = &world.threads[&name].local;
        let place = Extent::new(local.address(self.cx, addr), ty);
        if !self.check(place, true)? {
            return self.fail(world, name, None);
        }
        let value = local.value(self.cx, value, ty);
        let event = world.next_event(name);
        let mut after = world.clone();
        let buffer = world.threads[&name].buffer.iter();
        let ahead = buffer.filter(|entry| self.model != Model::Pso || entry.place == place).count();
        if self.room > 0 && ahead >= self.room {
            return Ok(Vec::new());
        }
        if self.model == Model::Sc || self.room == 0 {
            after.write(place, value, event);
        } else {
            let thread = after.thread_mut(name);
            thread.epoch += u32::from(barriers::before_store(access.order).is_some());
            thread.draining = barriers::after_store(access.order) == Some(Barrier::Full);
            let epoch = thread.epoch;
            thread.buffer.push(Entry { place, value, event: event.index, epoch });
        }
        self.finish(after, name, Some(Event::Write { place, value }))
    }

    pub(super) fn fence(&self, world: &World, name: ThreadName, kind: FenceKind) -> Worlds {
        let mut after = world.clone();
        let thread = after.thread_mut(name);
        match barriers::of_fence(kind) {
            Some(Barrier::Full) if !thread.buffer.is_empty() => return Ok(Vec::new()),
            Some(Barrier::StoreStore) => thread.epoch += 1,
            Some(Barrier::Full) | None => {}
        }
        self.finish(after, name, None)
    }

    /// A read-modify-write or a compare-and-swap. The buffer is empty.
    pub(super) fn update(&mut self, world: &World, name: ThreadName, inst: &InstKind) -> Worlds {
        let (InstKind::Rmw { ty, dst, addr, .. } | InstKind::CmpXchg { ty, dst, addr, .. }) = *inst
        else {
            return Ok(Vec::new());
        };
        let local = &world.threads[&name].local;
        let place = Extent::new(local.address(self.cx, addr), ty);
        if !self.check(place, true)? {
            return self.fail(world, name, None);
        }
        let (value, from) = world.read(self.cx, place);
        let read = value & ty.mask();
        let operand = |operand| local.value(self.cx, operand, ty);
        if let InstKind::Rmw { when: Some((pred, wanted)), .. } = *inst
            && !arith::compare_ints(pred, ty, read, operand(wanted))
        {
            return Ok(Vec::new());
        }
        let mut after = world.clone();
        let wrote = match *inst {
            InstKind::Rmw { op, value, .. } => Some(arith::modify(op, ty, read, operand(value))?),
            InstKind::CmpXchg { expected, new, ok, .. } => {
                let equal = read == operand(expected);
                after.thread_mut(name).local.set(ok, equal.into());
                equal.then(|| operand(new))
            }
            _ => None,
        };
        after.thread_mut(name).local.set(dst, read);
        if let Some(value) = wrote {
            after.write(place, value, world.next_event(name));
        }
        self.finish(after, name, Some(Event::Update { place, read, from, wrote }))
    }
}
