//! Objects: globals, allocations, copies of thread-local globals.
//!
//! An object is named by its thread and how many that one had allocated before, as in the machine;
//! its number is given on first use and kept. Its current state (size, class, whether it lives) is
//! words of the trail.

use super::calls::PassedOp;
use super::event::{Event, Location};
use super::sets::ClockId;
use super::{Threads, field};
use crate::table::{from_word, to_word};
use raddle_engine::{Calls, Cast};
use raddle_ir::{GlobalId, Operand, Program};
use raddle_machine::code::Pc;
use raddle_machine::layout::{
    MAX_OBJECT, MAX_OBJECTS, ObjectId, nearest, object_address, split_address,
};
use raddle_machine::memory::{ObjectKind, Purpose};
use raddle_machine::{Allocation, Ending, Fault, NoAccess, NoFree, ThreadId, Trail, Word, layout};

/// The kind of an object as a word; 0 for none.
fn encode(kind: Option<ObjectKind>) -> u64 {
    match kind {
        None => 0,
        Some(ObjectKind::Global) => 1,
        Some(ObjectKind::Constant) => 2,
        Some(ObjectKind::Heap) => 3,
        Some(ObjectKind::ZeroedHeap) => 4,
        Some(ObjectKind::Private(thread)) => 5 | u64::from(thread.0) << 8,
        Some(ObjectKind::PrivateGlobal(thread)) => 6 | u64::from(thread.0) << 8,
        Some(ObjectKind::Frame) => 7,
    }
}

fn decode(word: u64) -> Option<ObjectKind> {
    let thread = ThreadId((word >> 8) as u32);
    Some(match word & 0xff {
        0 => return None,
        1 => ObjectKind::Global,
        2 => ObjectKind::Constant,
        3 => ObjectKind::Heap,
        4 => ObjectKind::ZeroedHeap,
        5 => ObjectKind::Private(thread),
        7 => ObjectKind::Frame,
        _ => ObjectKind::PrivateGlobal(thread),
    })
}

/// Where the first value of some bytes comes from.
pub(super) enum Initial {
    Nothing,
    Zero,
    Global(GlobalId),
}

/// Offsets of an object's words.
mod word {
    pub(super) const KIND: u32 = 0;
    pub(super) const SIZE: u32 = 1;
    /// 0 while it lives, else 1 plus the thread that ended it, and from bit 32 how many events that
    /// one had fetched.
    pub(super) const DEAD: u32 = 2;
    /// The next older object of the frame, plus 1.
    pub(super) const LINK: u32 = 3;
    /// The clock of its end.
    pub(super) const CLOCK: u32 = 4;
    /// The operation that allocated it.
    pub(super) const MADE_AT: u32 = 5;
    pub(super) const ALL: u32 = 6;
}

#[derive(Clone, Copy, Debug)]
struct Object {
    words: Word,
    /// The global whose initial value it has.
    global: Option<GlobalId>,
}

#[derive(Clone, Debug)]
pub(super) struct Objects {
    known: Vec<Object>,
    /// How many objects that are not private have ended.
    ended: Word,
}

impl Objects {
    pub(super) fn new(program: &Program, trail: &mut Trail) -> Result<Objects, Fault> {
        let mut objects = Objects { known: Vec::new(), ended: trail.reserve(1) };
        for (id, global) in &program.globals {
            let object = objects.name(trail, Some(id))?;
            let kind = match (global.thread_local, global.constant) {
                // Its number stays free: each thread has a copy.
                (true, _) => None,
                (false, true) => Some(ObjectKind::Constant),
                (false, false) => Some(ObjectKind::Global),
            };
            objects.set(trail, object, kind, global.size);
        }
        Ok(objects)
    }

    fn name(&mut self, trail: &mut Trail, global: Option<GlobalId>) -> Result<ObjectId, Fault> {
        if self.known.len() >= MAX_OBJECTS as usize {
            return Err(Fault::too_many_objects());
        }
        self.known.push(Object { words: trail.reserve(word::ALL), global });
        Ok(ObjectId(self.known.len() as u32 - 1))
    }

    fn set(&mut self, trail: &mut Trail, object: ObjectId, kind: Option<ObjectKind>, size: u64) {
        let words = self.known[object.0 as usize].words;
        trail.set(words.at(word::KIND), encode(kind));
        trail.set(words.at(word::SIZE), size);
        trail.set(words.at(word::DEAD), 0);
    }
}

/// The end of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub thread: ThreadId,
    /// How many events that thread had fetched.
    po: u32,
    /// The events that come before it.
    pub clock: ClockId,
}

impl End {
    /// Whether the object had ended before an event. Its address may become known after the thread has run past
    /// the end of the object.
    fn is_before(self, thread: ThreadId, po: u32) -> bool {
        self.thread != thread || self.po <= po
    }
}

impl Threads<'_> {
    /// The kind and the size of an object, and its end, if it has ended.
    fn object(&self, object: ObjectId) -> Option<(ObjectKind, u64, Option<End>)> {
        let words = self.objects.known.get(object.0 as usize)?.words;
        let kind = decode(self.trail.get(words.at(word::KIND)))?;
        let end = self.trail.get(words.at(word::DEAD));
        let clock = ClockId(self.trail.get(words.at(word::CLOCK)) as u32);
        let dead = from_word(u64::from(end as u32));
        let dead = dead.map(|thread| End { thread, po: (end >> 32) as u32, clock });
        Some((kind, self.trail.get(words.at(word::SIZE)), dead))
    }

    /// The object that an access at a place of program order is to, if it may be accessed.
    pub(super) fn accessible(
        &self,
        thread: ThreadId,
        po: u32,
        addr: u64,
        bytes: u32,
        writes: bool,
    ) -> Result<ObjectId, Fault> {
        let purpose = if writes { Purpose::Write } else { Purpose::Read };
        let fault = |reason| Fault::access(purpose, addr, bytes, reason);
        let found = split_address(addr).and_then(|(object, offset)| {
            let (kind, size, dead) = self.object(object)?;
            let inside = u64::from(offset) + u64::from(bytes) <= size;
            inside.then_some((object, kind, dead))
        });
        let Some((object, kind, dead)) = found else {
            return Err(fault(self.outside(thread, po, addr)));
        };
        if dead.is_some_and(|end| end.is_before(thread, po)) {
            return Err(fault(NoAccess::Dead));
        }
        match kind {
            ObjectKind::Constant if writes => Err(fault(NoAccess::Constant)),
            ObjectKind::Private(owner) | ObjectKind::PrivateGlobal(owner) if owner != thread => {
                Err(Fault::private_to_another())
            }
            _ => Ok(object),
        }
    }

    /// Why an access that is not inside of an object is not allowed.
    #[cold]
    fn outside(&self, thread: ThreadId, po: u32, addr: u64) -> NoAccess {
        let near = nearest(addr, |object| self.object(object).map(|(_, size, _)| size));
        let object = near.and_then(|(object, offset)| Some((offset, self.object(object)?)));
        match object {
            None => NoAccess::Nowhere,
            Some((_, (_, _, Some(end)))) if end.is_before(thread, po) => NoAccess::Dead,
            Some((offset, (_, size, _))) => NoAccess::Outside { offset, size: size as u32 },
        }
    }

    /// Whether an address is in an object that is this thread's alone.
    pub(super) fn is_private(&self, thread: ThreadId, addr: u64) -> bool {
        use ObjectKind::{Private, PrivateGlobal};
        let known = split_address(addr).and_then(|(object, _)| self.object(object));
        matches!(known, Some((Private(owner) | PrivateGlobal(owner), ..)) if owner == thread)
    }

    pub(super) fn initial_bytes(&self, object: ObjectId) -> Initial {
        let global = self.objects.known.get(object.0 as usize).and_then(|known| known.global);
        use ObjectKind::{Frame, Heap, Private, ZeroedHeap};
        match (self.object(object), global) {
            (Some((ZeroedHeap, ..)), _) => Initial::Zero,
            (Some((Frame | Heap | Private(_), ..)) | None, _) => Initial::Nothing,
            (_, Some(global)) => Initial::Global(global),
            (_, None) => Initial::Nothing,
        }
    }

    /// Bytes of a global's initial value, as one number.
    pub(crate) fn global_bytes(&self, global: GlobalId, offset: u32, bytes: u32) -> u128 {
        let global = &self.program.globals[global];
        let byte = |at: u64| -> u8 {
            for (start, operand) in &global.relocs {
                if (*start..*start + 8).contains(&at) {
                    let value = match *operand {
                        Operand::Global(to, by) => {
                            layout::global_address(to).wrapping_add_signed(by)
                        }
                        Operand::Func(func) => layout::function_address(func),
                        Operand::Int(bits) => bits as u64,
                        Operand::Reg(_) | Operand::Undef => 0,
                    };
                    return (value >> (8 * (at - start))) as u8;
                }
            }
            global.init.get(at as usize).copied().unwrap_or(0)
        };
        (0..bytes)
            .rev()
            .fold(0, |value, n| value << 8 | u128::from(byte(u64::from(offset) + u64::from(n))))
    }

    pub(super) fn allocate(
        &mut self,
        thread: ThreadId,
        size: u64,
        kind: ObjectKind,
    ) -> Result<ObjectId, Fault> {
        if size > MAX_OBJECT {
            return Err(Fault::too_large(size));
        }
        let nth = self.get(thread, field::OBJECTS) as usize;
        let known = self.records[thread].objects.get(nth).copied();
        let object = match known {
            Some(object) => object,
            None => {
                let object = self.objects.name(&mut self.trail, None)?;
                self.records[thread].objects.push(object);
                object
            }
        };
        self.set(thread, field::OBJECTS, nth as u64 + 1);
        self.objects.set(&mut self.trail, object, Some(kind), size);
        let made_at = self.objects.known[object.0 as usize].words.at(word::MADE_AT);
        self.trail.set(made_at, self.pc(thread).0.into());
        self.note_object(thread, object);
        if !matches!(kind, ObjectKind::Private(_)) {
            let heap = matches!(kind, ObjectKind::Heap | ObjectKind::ZeroedHeap);
            self.note_passed(thread, PassedOp::Allocate { object, heap });
        }
        Ok(object)
    }

    /// The objects that a thread has made, from the `nth` on, with the calls by which it did.
    pub(crate) fn allocations(
        &self,
        thread: ThreadId,
        nth: usize,
    ) -> impl Iterator<Item = (Allocation, Calls)> {
        let count = self.get(thread, field::OBJECTS) as usize;
        let made = self.records[thread].objects.iter().take(count).skip(nth);
        made.filter_map(|object| {
            let made_at = self.objects.known[object.0 as usize].words.at(word::MADE_AT);
            let made = self.code.allocation(Pc(self.trail.get(made_at) as u32), *object)?;
            Some((made, self.calls_for(*object)))
        })
    }

    /// A thread's copy of a thread-local global, made when it is first needed.
    pub(super) fn thread_local(
        &mut self,
        thread: ThreadId,
        global: GlobalId,
    ) -> Result<ObjectId, Fault> {
        let known = self.records[thread].thread_locals.iter();
        let object = match known.clone().find(|(of, _)| *of == global) {
            Some((_, object)) => *object,
            None => {
                let object = self.objects.name(&mut self.trail, Some(global))?;
                self.records[thread].thread_locals.push((global, object));
                object
            }
        };
        if self.object(object).is_none() {
            let global = &self.program.globals[global];
            let kind = match (global.private, global.constant) {
                (true, _) => ObjectKind::PrivateGlobal(thread),
                (false, true) => ObjectKind::Constant,
                (false, false) => ObjectKind::Global,
            };
            self.objects.set(&mut self.trail, object, Some(kind), global.size);
        }
        Ok(object)
    }

    /// Allocates an object of the current frame.
    pub(super) fn alloca(
        &mut self,
        thread: ThreadId,
        size: u64,
        private: bool,
    ) -> Result<u64, Fault> {
        let kind = if private { ObjectKind::Private(thread) } else { ObjectKind::Frame };
        let object = self.allocate(thread, size, kind)?;
        let head = self.allocas(thread);
        let next = self.trail.get(head);
        let link = self.objects.known[object.0 as usize].words.at(word::LINK);
        self.trail.set(link, next);
        self.trail.set(head, u64::from(object.0) + 1);
        Ok(object_address(object))
    }

    fn end_object(&mut self, thread: ThreadId, object: ObjectId, by: Ending) {
        let words = self.objects.known[object.0 as usize].words;
        let events = self.fetched(thread);
        let clock = self.clocks.raise(self.clock(thread), thread, events);
        let end = u64::from(events) << 32 | to_word(Some(thread));
        self.trail.set(words.at(word::DEAD), end);
        self.trail.set(words.at(word::CLOCK), clock.0.into());
        let kind = decode(self.trail.get(words.at(word::KIND)));
        if !matches!(kind, Some(ObjectKind::Private(_) | ObjectKind::PrivateGlobal(_))) {
            let ended = self.trail.get(self.objects.ended);
            self.trail.set(self.objects.ended, ended + 1);
            self.note_passed(thread, PassedOp::End(object, by));
        }
    }

    /// Whether objects have ended that others may have accessed.
    pub(crate) fn has_ended_objects(&self) -> bool {
        self.trail.get(self.objects.ended) != 0
    }

    /// How the object of a location has ended, if it has.
    pub(crate) fn end_of_object(&self, location: Location) -> Option<End> {
        let (object, _) = split_address(self.extent_of(location).0)?;
        self.object(object)?.2
    }

    /// The fault of an access to an object that has ended.
    pub(crate) fn use_after_end(&self, event: &Event) -> Fault {
        let purpose = if event.is_store() { Purpose::Write } else { Purpose::Read };
        let addr = self.value(event.addr).unwrap_or(0) as u64;
        Fault::access(purpose, addr, event.ty.bytes(), NoAccess::Dead)
    }

    /// Ends the objects of the current frame.
    pub(super) fn drop_allocas(&mut self, thread: ThreadId) {
        self.drop_list(thread, self.allocas(thread));
    }

    /// Ends a thread's copies of thread-local globals that others may have accessed.
    pub(super) fn drop_thread_locals(&mut self, thread: ThreadId) {
        for n in 0..self.records[thread].thread_locals.len() {
            let (global, object) = self.records[thread].thread_locals[n];
            if !self.program.globals[global].private && self.object(object).is_some() {
                self.end_object(thread, object, Ending::Thread);
            }
        }
    }

    /// Ends the objects of a list.
    pub(super) fn drop_list(&mut self, thread: ThreadId, head: Word) {
        while let Some(object) = self.trail.get(head).checked_sub(1) {
            self.end_object(thread, ObjectId(object as u32), Ending::Frame);
            let words = self.objects.known[object as usize].words;
            let next = self.trail.get(words.at(word::LINK));
            self.trail.set(head, next);
        }
    }

    /// Ends an object of the heap. Nothing happens for a null pointer.
    pub(super) fn free(&mut self, thread: ThreadId, addr: u64) -> Result<(), Fault> {
        if addr == 0 {
            return Ok(());
        }
        let found = split_address(addr).and_then(|(object, offset)| {
            let (kind, _, dead) = self.object(object)?;
            Some((object, offset, kind, dead))
        });
        match found {
            Some((_, 0, _, Some(_))) => Err(Fault::free(NoFree::Dead)),
            Some((object, 0, ObjectKind::Heap | ObjectKind::ZeroedHeap, None)) => {
                self.end_object(thread, object, Ending::Free);
                Ok(())
            }
            Some((_, 0, ..)) => Err(Fault::free(NoFree::NotOfHeap)),
            Some(_) => Err(Fault::free(NoFree::Middle)),
            None => Err(Fault::free(NoFree::Nowhere)),
        }
    }

    /// How many bytes an object has from an address on.
    pub(super) fn extent(&self, addr: u64) -> u64 {
        let found = split_address(addr).and_then(|(object, offset)| {
            let (_, size, _) = self.object(object)?;
            size.checked_sub(offset.into())
        });
        found.unwrap_or(0)
    }
}

impl Cast for Threads<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn thread_name(&self, thread: ThreadId) -> &str {
        &self.records[thread].name
    }

    fn thread_local_of(&self, object: ObjectId) -> Option<(ThreadId, GlobalId)> {
        let mut copies = self.records.iter().flat_map(|(thread, record)| {
            record.thread_locals.iter().map(move |(global, copy)| (thread, *global, *copy))
        });
        copies.find(|(_, _, copy)| *copy == object).map(|(thread, global, _)| (thread, global))
    }

    fn calls(&self, thread: ThreadId) -> Calls {
        self.stack(thread)
    }

    fn size_of(&self, object: ObjectId) -> u64 {
        self.object(object).map_or(0, |(_, size, _)| size)
    }
}
