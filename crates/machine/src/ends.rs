//! The end of a thread: the objects that end with it.
//!
//! Returning from a function ends the objects of its frame ([`DropAllocas`](crate::code::Op::DropAllocas)). A thread that leaves
//! by [`ThreadExit`](crate::code::Op::ThreadExit) leaves all functions at once, so the objects of all its frames end; in both
//! cases the thread's copies of thread-local globals end last. Each end that another thread can notice
//! is a visible operation, and the thread stays at its last operation until all of them are done.
//!
//! When a program is halted, no objects end: the remaining steps of other threads could have come before.

use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::memory::ObjectState;
use crate::thread::{ThreadId, field, frame};
use crate::trail::Word;
use crate::visible::Ending;

impl Machine<'_> {
    /// Whether an object must end before the thread, which is at its last operation, ends.
    pub(crate) fn must_end_objects(&mut self, thread: ThreadId) -> bool {
        self.drop_private(thread);
        if self.newest_alloca(thread).is_none() {
            self.gather_allocas(thread);
            self.drop_private(thread);
        }
        self.next_end(thread).is_some()
    }

    /// The object that ends next, at the last operation of a thread.
    pub(crate) fn next_end(&self, thread: ThreadId) -> Option<(ObjectId, Ending)> {
        let local = self.newest_alloca(thread).map(|object| (object, Ending::Frame));
        local.or_else(|| Some((self.first_thread_local(thread)?, Ending::Thread)))
    }

    /// Moves the objects of all callers to the list of the innermost frame, newest first. The objects of that
    /// frame have ended. From then on, its list is the only one.
    fn gather_allocas(&mut self, thread: ThreadId) {
        let innermost = Word::from_index(self.get(thread, field::FRAME));
        // The word that links to the next list.
        let mut end = innermost.at(frame::ALLOCAS);
        let mut caller = self.trail.get(innermost.at(frame::CALLER));
        while caller != 0 {
            let base = Word::from_index(caller);
            let head = base.at(frame::ALLOCAS);
            let list = self.trail.get(head);
            if list != 0 {
                self.trail.set(head, 0);
                self.trail.set(end, list);
                while let Some(object) = self.trail.get(end).checked_sub(1) {
                    end = self.memory.link(ObjectId(object as u32));
                }
            }
            caller = self.trail.get(base.at(frame::CALLER));
        }
    }

    /// The first live copy of a thread-local global of the thread that other threads may touch. In the order
    /// of the globals: the order of their first use may differ in a replay.
    fn first_thread_local(&self, thread: ThreadId) -> Option<ObjectId> {
        let locals = self.threads[thread.0 as usize].thread_locals.iter();
        let shared = locals.filter(|(global, _)| !self.program.globals[*global].private);
        let live = shared.filter(|(_, object)| {
            let (_, state) = self.memory.header(&self.trail, *object);
            matches!(state, ObjectState::Live | ObjectState::Constant)
        });
        live.min_by_key(|(global, _)| *global).map(|(_, object)| *object)
    }
}
