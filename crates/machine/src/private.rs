//! Accesses that no other thread can observe: they are local steps.
//!
//! Only its owner touches a private object (of a frame, or a copy of a global), so no other thread can
//! observe when it does. Loads, stores and read-modify-writes take effect at once under every model, and so
//! does the end of the object. The front end guarantees that no other thread touches the object; a thread
//! that does fails with "unsupported".
//!
//! The same holds for all memory while a thread is alone: in a program that begins with one thread, until
//! that thread spawns another. Spawning drains the buffer, so under every model all earlier accesses are
//! visible to every thread.

use crate::code::{Op, Pc, Source, Src, is_wide};
use crate::eval::{int_pred, rmw_result};
use crate::fault::Fault;
use crate::layout::object_address;
use crate::machine::Machine;
use crate::memory::{Purpose, Slice};
use crate::thread::{ThreadId, field};

impl Machine<'_> {
    /// Whether the operation at `pc` is an access that no other thread can observe.
    #[inline]
    pub(crate) fn is_at_private(&self, thread: ThreadId, pc: Pc) -> bool {
        (self.code.has_private || self.code.begins_alone) && self.accesses_private(thread, pc)
    }

    /// Whether this is the only thread so far.
    #[inline]
    pub(crate) fn is_alone(&self, thread: ThreadId) -> bool {
        self.code.begins_alone && self.is_alone_after(thread, self.get(thread, field::SPAWNED))
    }

    /// [`Machine::is_alone`] for a thread that has spawned this many threads.
    #[inline]
    pub(crate) fn is_alone_after(&self, thread: ThreadId, spawned: u64) -> bool {
        self.code.begins_alone && thread.0 == 0 && spawned == 0
    }

    fn accesses_private(&self, thread: ThreadId, pc: Pc) -> bool {
        let addr = match &self.code.ops[pc.0 as usize] {
            Op::Load { addr, access, .. } if !access.exclusive => *addr,
            Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. } => *addr,
            _ => return false,
        };
        if self.is_alone(thread) {
            return true;
        }
        match addr.get() {
            Source::Slot(slot) => {
                let addr = self.trail.get(self.slot(thread, slot));
                self.memory.private_owner(&self.trail, addr).is_some()
            }
            Source::ThreadLocal(index) => {
                let (global, _) = self.code.thread_locals[index as usize];
                let global = &self.program.globals[global];
                // A write to a constant is an error, which the ordinary access reports.
                global.private && !global.constant
            }
            // The addresses of shared globals.
            Source::Constant(_) | Source::Wide(_) => false,
        }
    }

    /// Performs an access that no other thread can observe. False if it has to wait; then it waits for ever.
    pub(crate) fn private_step(&mut self, thread: ThreadId, op: Op) -> Result<bool, Fault> {
        match op {
            Op::Load { dst, ty, addr, access } => {
                let purpose = if access.raw { Purpose::Copy } else { Purpose::Read };
                let slice = self.private_access(thread, addr, ty.bytes(), purpose)?;
                let value = self.memory.read(&self.trail, slice) & ty.mask();
                self.put_as(thread, dst, value, is_wide(ty));
            }
            Op::Store { ty, addr, value, .. } => {
                self.ready(thread, [value])?;
                let slice = self.private_access(thread, addr, ty.bytes(), Purpose::Write)?;
                let value = self.read_as(thread, value, is_wide(ty));
                self.private_write(thread, slice, value);
            }
            Op::Rmw { op, ty, dst, addr, value, when, .. } => {
                self.ready(thread, [value])?;
                let slice = self.private_access(thread, addr, ty.bytes(), Purpose::Update)?;
                let old = self.memory.read(&self.trail, slice) & ty.mask();
                if let Some((pred, wanted)) = when {
                    self.ready(thread, [wanted])?;
                    let wanted = self.read_as(thread, wanted, is_wide(ty));
                    if !int_pred(pred, ty, old, wanted) {
                        return Ok(false);
                    }
                }
                let operand = self.read_as(thread, value, is_wide(ty));
                let new = rmw_result(op, ty, old, operand);
                self.private_write(thread, slice, new);
                self.put_as(thread, dst, old, is_wide(ty));
            }
            Op::CmpXchg { ty, dst, ok, addr, expected, new, .. } => {
                self.ready(thread, [expected, new])?;
                let slice = self.private_access(thread, addr, ty.bytes(), Purpose::Update)?;
                let old = self.memory.read(&self.trail, slice) & ty.mask();
                let equal = old == self.read_as(thread, expected, is_wide(ty));
                if equal {
                    let new = self.read_as(thread, new, is_wide(ty));
                    self.private_write(thread, slice, new);
                }
                self.put_as(thread, dst, old, is_wide(ty));
                self.put(thread, ok, equal.into());
            }
            op => unreachable!("{op:?} is no access to a private object"),
        }
        Ok(true)
    }

    fn private_write(&mut self, thread: ThreadId, slice: Slice, value: u128) {
        let before = self.trail.mark();
        self.memory.write(&mut self.trail, slice, value);
        if self.trail.mark() != before {
            self.note_change(thread);
        }
    }

    fn private_access(
        &mut self,
        thread: ThreadId,
        addr: Src,
        bytes: u32,
        purpose: Purpose,
    ) -> Result<Slice, Fault> {
        self.ready(thread, [addr])?;
        let addr = self.read(thread, addr);
        if !self.is_alone(thread) && self.memory.private_owner(&self.trail, addr) != Some(thread) {
            return Err(Fault::private_to_another());
        }
        self.memory.access(&self.trail, addr, bytes, purpose)
    }

    /// Ends the newest objects of the frame, up to the first that is not private.
    pub(crate) fn drop_private(&mut self, thread: ThreadId) {
        while let Some(object) = self.newest_alloca(thread)
            && self.memory.private_owner(&self.trail, object_address(object)).is_some()
        {
            self.memory.kill(&mut self.trail, object);
            self.forget_alloca(thread, object);
        }
    }
}
