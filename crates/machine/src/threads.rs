//! Threads: names, status, spawning, waking.

use crate::code::{Op, Pc};
use crate::fault::Fault;
use crate::label;
use crate::layout::function_at;
use crate::machine::Machine;
use crate::thread::{CHUNK_WORDS, MAX_THREADS, RECORD, Status, Thread, ThreadId, field};
use crate::trail::Word;
use crate::visible::{Phase, handle};
use raddle_ir::{FuncId, LocId};

/// A word of a thread's record.
#[inline]
pub fn word(thread: ThreadId, field: u32) -> Word {
    Word::from_index(u64::from(thread.0 * RECORD + field))
}

impl Machine<'_> {
    /// The number of threads of all executions so far.
    pub fn thread_count(&self) -> u32 {
        self.threads.len() as u32
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    pub fn thread_name(&self, thread: ThreadId) -> &str {
        &self.threads[thread.0 as usize].name
    }

    #[inline]
    pub(crate) fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.trail.get(word(thread, field))
    }

    #[inline]
    pub(crate) fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        self.trail.set(word(thread, field), value);
    }

    #[inline]
    pub fn status(&self, thread: ThreadId) -> Status {
        Status::ALL[self.get(thread, field::STATUS) as usize]
    }

    #[inline]
    pub fn is_ready(&self, thread: ThreadId) -> bool {
        self.get(thread, field::STATUS) == Status::Ready as u64
    }

    pub fn set_status(&mut self, thread: ThreadId, status: Status) {
        self.set(thread, field::STATUS, status as u64);
    }

    #[inline]
    pub fn pc(&self, thread: ThreadId) -> Pc {
        Pc(self.get(thread, field::PC) as u32)
    }

    /// Whether the operation that a thread is at is an event under every model. Stores are not, since they
    /// may enter a buffer, nor are operations that only order others.
    #[inline]
    pub fn is_at_event(&self, thread: ThreadId) -> bool {
        !matches!(
            self.code.ops[self.pc(thread).0 as usize],
            Op::Store { .. }
                | Op::Fence { .. }
                | Op::Spawn { .. }
                | Op::Join { .. }
                | Op::Format { .. }
        )
    }

    /// Whether a thread is at an ordinary load or store, which never waits.
    #[inline]
    pub fn is_at_access(&self, thread: ThreadId) -> bool {
        match &self.code.ops[self.pc(thread).0 as usize] {
            Op::Load { access, .. } => !access.exclusive,
            Op::Store { .. } => true,
            _ => false,
        }
    }

    /// Whether a thread is at a store, of any order.
    pub fn at_any_store(&self, thread: ThreadId) -> bool {
        matches!(self.code.ops[self.pc(thread).0 as usize], Op::Store { .. })
    }

    /// The source position of the operation that the thread is at. If it has none, that of the innermost call
    /// on the stack that has one.
    pub fn loc(&self, thread: ThreadId) -> LocId {
        let frame = Word::from_index(self.get(thread, field::FRAME));
        self.loc_through(self.pc(thread), frame, |word| self.trail.get(word))
    }

    /// The result of a finished thread.
    pub fn result(&self, thread: ThreadId) -> u64 {
        self.get(thread, field::RESULT)
    }

    pub fn phase(&self, thread: ThreadId) -> Phase {
        Phase::ALL[self.get(thread, field::PHASE) as usize]
    }

    /// Wakes a thread that waits on a condition variable.
    pub fn wake(&mut self, thread: ThreadId) {
        let woken = match self.phase(thread) {
            Phase::Enqueued => Phase::EnqueuedWoken,
            _ => Phase::Woken,
        };
        self.set(thread, field::PHASE, woken as u64);
    }

    /// The condition variable that a thread waits on, if it can still be woken.
    pub fn waits_on(&self, thread: ThreadId) -> Option<u64> {
        if self.status(thread) != Status::Ready || !self.phase(thread).is_waiting() {
            return None;
        }
        match self.code.op(self.pc(thread)) {
            Op::CondWait { cond, .. } => Some(self.read(thread, cond)),
            _ => None,
        }
    }

    /// The handle of the thread that a thread is about to join, if it is at a join.
    pub fn joins(&self, thread: ThreadId) -> Option<u64> {
        match self.code.op(self.pc(thread)) {
            Op::Join { thread: target, .. } => Some(self.read(thread, target)),
            _ => None,
        }
    }

    pub(crate) fn name_thread(&mut self, name: String) -> ThreadId {
        let chunk = self.trail.reserve(CHUNK_WORDS);
        self.threads.push(Thread {
            name,
            runs: None,
            func: None,
            children: Vec::new(),
            objects: Vec::new(),
            thread_locals: Vec::new(),
            chunks: vec![(chunk, CHUNK_WORDS)],
        });
        ThreadId(self.threads.len() as u32 - 1)
    }

    pub(crate) fn start(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[(u128, bool)],
    ) -> Result<(), Fault> {
        self.threads[thread.0 as usize].func = Some(func);
        let (chunk, _) = self.threads[thread.0 as usize].chunks[0];
        self.set_status(thread, Status::Ready);
        self.set(thread, field::TOP, chunk.index());
        let entry = self.enter(thread, func, args, Pc(0), 0)?;
        self.set(thread, field::PC, entry.0.into());
        Ok(())
    }

    /// Spawns the thread of the `Spawn` operation that `parent` is at, and completes that operation.
    pub fn spawn(&mut self, parent: ThreadId) -> Result<ThreadId, Fault> {
        let Op::Spawn { dst, target, args } = self.code.op(self.pc(parent)) else {
            unreachable!("spawn at another operation")
        };
        let func = self.callee(parent, target)?;
        let args = self.arguments(parent, args);
        let nth = self.get(parent, field::SPAWNED);
        let child = match self.children(parent).get(nth as usize) {
            Some(child) => *child,
            None if self.thread_count() >= MAX_THREADS => {
                return Err(Fault::too_many_threads());
            }
            None => {
                self.may_name()?;
                let child = self.name_thread(self.child_name(parent, nth, func, &args));
                self.threads[parent.0 as usize].children.push(child);
                child
            }
        };
        // In another execution, the child may have run another function, and so may its parent.
        let known = &self.threads[child.0 as usize];
        let argument = args.first().map(|(value, _)| *value);
        let pointed = argument.and_then(|addr| function_at(addr as u64, self.code.funcs.len()));
        let same = known.runs == Some((func, argument))
            && (pointed.is_some() || !self.program.funcs[func].library)
            && known.name.starts_with(self.thread_name(parent));
        if !same {
            self.threads[child.0 as usize].name = self.child_name(parent, nth, func, &args);
            self.threads[child.0 as usize].runs = Some((func, argument));
        }
        self.set(parent, field::SPAWNED, nth + 1);
        self.start(child, func, &args)?;
        self.put(parent, dst, handle(child));
        self.step(parent);
        Ok(child)
    }

    /// The name of the `nth` thread that a thread starts.
    fn child_name(
        &self,
        parent: ThreadId,
        nth: u64,
        func: FuncId,
        args: &[(u128, bool)],
    ) -> String {
        let argument = args.first().and_then(|(value, _)| u64::try_from(*value).ok());
        let (name, calls) = (self.thread_name(parent), self.calls(parent));
        label::child_name(self.program, name, nth, func, argument, &calls)
    }

    /// The threads that a thread has spawned in all executions so far, in its program order.
    pub fn children(&self, thread: ThreadId) -> &[ThreadId] {
        &self.threads[thread.0 as usize].children
    }

    /// For each thread, the same thread of a fresh machine: the child with the same index of the same parent.
    pub fn threads_in(&self, fresh: &Machine<'_>) -> Vec<Option<ThreadId>> {
        let mut same = vec![None; self.threads.len()];
        // A parent has a smaller number than its children.
        for parent in self.thread_ids() {
            if (parent.0 as usize) < self.program.threads.len() {
                same[parent.0 as usize] = Some(parent);
            }
            let Some(other) = same[parent.0 as usize] else { continue };
            for (child, other) in self.children(parent).iter().zip(fresh.children(other)) {
                same[child.0 as usize] = Some(*other);
            }
        }
        same
    }

    /// The thread that a handle names, if it has been spawned.
    pub fn thread_of(&self, handle: u64) -> Option<ThreadId> {
        let thread = ThreadId(u32::try_from(handle.checked_sub(1)?).ok()?);
        let known = (thread.0 as usize) < self.threads.len();
        (known && self.status(thread) != Status::Absent).then_some(thread)
    }
}
