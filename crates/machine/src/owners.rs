//! The owners of objects, and the address that a thread is about to touch. For reports, not for execution.

use crate::code::{Code, Pc};
use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::thread::ThreadId;
use raddle_ir::{FuncId, GlobalId, Point};

impl Machine<'_> {
    /// The thread and the thread-local global whose copy an object is, if it is such a copy.
    pub fn thread_local_of(&self, object: ObjectId) -> Option<(ThreadId, GlobalId)> {
        let copies = self.thread_ids().flat_map(|id| {
            let locals = &self.threads[id.0 as usize].thread_locals;
            locals.iter().map(move |(global, copy)| (id, *global, *copy))
        });
        let mut copies = copies.filter(|(_, _, copy)| *copy == object);
        copies.next().map(|(thread, global, _)| (thread, global))
    }

    /// The operations of the program.
    #[inline]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The instruction of an operation.
    pub fn point_of(&self, pc: Pc) -> Point {
        let func = self.code.function_at(pc).unwrap_or(FuncId::from_u32(0));
        let (block, index) = self.code.insts[pc.0 as usize];
        Point { func, block, index }
    }

    /// The address that the next operation of a thread would touch, if it touches memory.
    pub fn address_at(&self, thread: ThreadId) -> Option<u64> {
        let addr = self.code.op(self.pc(thread)).address()?;
        Some(self.read(thread, addr))
    }
}
