//! Objects that threads create: allocations, and copies of thread-local globals.

use crate::fault::Fault;
use crate::layout::{MAX_OBJECT, ObjectId, object_address};
use crate::machine::Machine;
use crate::memory::{ObjectKind, ObjectState};
use crate::thread::{ThreadId, field};
use raddle_ir::GlobalId;

impl Machine<'_> {
    /// Allocates the thread's next object.
    pub(crate) fn allocate(
        &mut self,
        thread: ThreadId,
        size: u64,
        kind: ObjectKind,
    ) -> Result<ObjectId, Fault> {
        if size > MAX_OBJECT {
            return Err(Fault::too_large(size));
        }
        let nth = self.get(thread, field::OBJECTS);
        let known = self.threads[thread.0 as usize].objects.get(nth as usize).copied();
        let object = match known {
            Some(object) => object,
            None => {
                self.may_name()?;
                let object = self.memory.name_object(&mut self.trail, size as u32)?;
                self.threads[thread.0 as usize].objects.push(object);
                object
            }
        };
        self.memory.allocate(&mut self.trail, object, size as u32, kind)?;
        self.set(thread, field::OBJECTS, nth + 1);
        if matches!(kind, ObjectKind::Heap | ObjectKind::ZeroedHeap) {
            self.note_change(thread);
        }
        Ok(object)
    }

    /// The thread's copy of a thread-local global, created on first use.
    pub(crate) fn thread_local(
        &mut self,
        thread: ThreadId,
        global: GlobalId,
    ) -> Result<ObjectId, Fault> {
        let locals = &self.threads[thread.0 as usize].thread_locals;
        let known = locals.iter().find(|(id, _)| *id == global).map(|(_, object)| *object);
        let object = match known {
            Some(object) => object,
            None => {
                self.may_name()?;
                let size = self.program.globals[global].size as u32;
                let object = self.memory.name_object(&mut self.trail, size)?;
                self.threads[thread.0 as usize].thread_locals.push((global, object));
                object
            }
        };
        if self.memory.header(&self.trail, object).1 == ObjectState::Absent {
            let kind = match self.program.globals[global].private {
                true => ObjectKind::PrivateGlobal(thread),
                false => ObjectKind::Global,
            };
            self.initialise(object, global, kind)?;
        }
        Ok(object)
    }

    /// The address of a thread-local operand. `run` has created the copy.
    pub(crate) fn thread_local_address(&self, thread: ThreadId, index: u32) -> u64 {
        let (global, offset) = self.code.thread_locals[index as usize];
        let locals = &self.threads[thread.0 as usize].thread_locals;
        let object = locals.iter().find(|(id, _)| *id == global).map(|(_, object)| *object);
        object.map_or(0, object_address).wrapping_add_signed(offset)
    }
}
