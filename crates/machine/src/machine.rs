//! The whole machine: code, memory, threads, and the trail under them.

use crate::code::{Code, Op, Pc, Slot, Source, Src, Target, is_wide};
use crate::decode::decode;
use crate::fault::{Fault, FaultKind};
use crate::layout::{self, MAX_OBJECT, ObjectId, object_address};
use crate::memory::{Memory, ObjectKind, ObjectState, Purpose};
use crate::thread::{CHUNK_WORDS, MAX_STACK, Status, Thread, ThreadId, field, frame};
use crate::trail::{Mark, Trail, Word};
use crate::visible::{Phase, Visible, handle};
use raddle_ir::{FuncId, GlobalId, LocId, Observed, Operand, Order, Program, Type};

/// Threads that the executions of one search may have, all together.
const MAX_THREADS: usize = 1024;

#[derive(Clone, Debug)]
pub struct Machine<'p> {
    pub program: &'p Program,
    pub trail: Trail,
    pub memory: Memory,
    pub(crate) code: Code,
    pub(crate) threads: Vec<Thread>,
    /// Instructions that a thread may run between two visible operations.
    pub(crate) step_limit: u64,
}

impl<'p> Machine<'p> {
    /// A machine before the first instruction of every initial thread of a verified program.
    pub fn new(program: &'p Program, step_limit: u64) -> Result<Machine<'p>, Fault> {
        let mut machine = Machine {
            program,
            trail: Trail::default(),
            memory: Memory::default(),
            code: decode(program),
            threads: Vec::new(),
            step_limit,
        };
        for (id, global) in &program.globals {
            // Thread-local globals keep their number free: each thread makes its own copy.
            let bytes = if global.thread_local { 0 } else { global.size as u32 };
            let object = machine.memory.name_object(&mut machine.trail, bytes)?;
            debug_assert_eq!(object_address(object), layout::global_address(id));
            if !global.thread_local {
                machine.initialise(object, id)?;
            }
        }
        for thread in program.threads.values() {
            let id = machine.name_thread(thread.name.clone());
            let args: Vec<(u128, bool)> =
                thread.args.iter().map(|arg| machine.initial_value(id, *arg)).collect();
            machine.start(id, thread.func, &args)?;
        }
        Ok(machine)
    }

    fn initialise(&mut self, object: ObjectId, global: GlobalId) -> Result<(), Fault> {
        let global = &self.program.globals[global];
        self.memory.allocate(&mut self.trail, object, global.size as u32, ObjectKind::Global)?;
        let base = object_address(object);
        for (offset, byte) in global.init.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            self.poke(base + offset as u64, 1, u128::from(*byte))?;
        }
        for (offset, operand) in &global.relocs {
            let value = match *operand {
                Operand::Global(to, by) => layout::global_address(to).wrapping_add_signed(by),
                Operand::Func(func) => layout::function_address(func),
                Operand::Int(bits) => bits as u64,
                Operand::Reg(_) | Operand::Undef => 0,
            };
            self.poke(base + offset, 8, u128::from(value))?;
        }
        if global.constant {
            let (size, kind) = (global.size as u32, ObjectKind::Constant);
            self.memory.allocate(&mut self.trail, object, size, kind)?;
        }
        Ok(())
    }

    fn poke(&mut self, addr: u64, bytes: u32, value: u128) -> Result<(), Fault> {
        let place = self.memory.place(&self.trail, addr, bytes, Purpose::Write)?;
        self.memory.write(&mut self.trail, place, value);
        Ok(())
    }

    fn initial_value(&mut self, thread: ThreadId, operand: Operand) -> (u128, bool) {
        match operand {
            Operand::Int(bits) => (bits, bits > u128::from(u64::MAX)),
            Operand::Func(func) => (layout::function_address(func).into(), false),
            Operand::Global(global, by) if self.program.globals[global].thread_local => {
                let addr = self.thread_local(thread, global).map_or(0, object_address);
                (addr.wrapping_add_signed(by).into(), false)
            }
            Operand::Global(global, by) => {
                (layout::global_address(global).wrapping_add_signed(by).into(), false)
            }
            Operand::Reg(_) | Operand::Undef => (0, false),
        }
    }

    #[inline]
    pub fn mark(&self) -> Mark {
        self.trail.mark()
    }

    #[inline]
    pub fn backtrack(&mut self, mark: Mark) {
        self.trail.backtrack(mark);
    }

    // ---- threads ----

    /// Number of threads that any execution so far has had.
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
    pub(crate) fn word(&self, thread: ThreadId, field: u32) -> Word {
        self.threads[thread.0 as usize].base.at(field)
    }

    #[inline]
    pub(crate) fn get(&self, thread: ThreadId, field: u32) -> u64 {
        self.trail.get(self.word(thread, field))
    }

    #[inline]
    pub(crate) fn set(&mut self, thread: ThreadId, field: u32, value: u64) {
        let word = self.word(thread, field);
        self.trail.set(word, value);
    }

    #[inline]
    pub fn status(&self, thread: ThreadId) -> Status {
        Status::ALL[self.get(thread, field::STATUS) as usize]
    }

    pub fn set_status(&mut self, thread: ThreadId, status: Status) {
        self.set(thread, field::STATUS, status as u64);
    }

    #[inline]
    pub fn pc(&self, thread: ThreadId) -> Pc {
        Pc(self.get(thread, field::PC) as u32)
    }

    /// Whether the operation that a thread is at is an event for sure: neither a store, which a
    /// buffer may take, nor one of those that only order things.
    #[inline]
    pub fn is_at_event(&self, thread: ThreadId) -> bool {
        !matches!(
            self.code.ops[self.pc(thread).0 as usize],
            Op::Store { .. } | Op::Fence { .. } | Op::Spawn { .. } | Op::Join { .. }
        )
    }

    /// Whether a thread is at an ordinary load or store, which never has to wait.
    #[inline]
    pub fn is_at_access(&self, thread: ThreadId) -> bool {
        match &self.code.ops[self.pc(thread).0 as usize] {
            Op::Load { access, .. } => !access.exclusive,
            Op::Store { .. } => true,
            _ => false,
        }
    }

    /// The source position of the operation that the thread is at.
    pub fn loc(&self, thread: ThreadId) -> LocId {
        self.code.loc(self.pc(thread))
    }

    /// What a finished thread returned.
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

    /// The condition variable on whose list a thread is, if it can still be woken.
    pub fn waits_on(&self, thread: ThreadId) -> Option<u64> {
        if self.status(thread) != Status::Ready || !self.phase(thread).is_waiting() {
            return None;
        }
        match self.code.op(self.pc(thread)) {
            Op::CondWait { cond, .. } => Some(self.read(thread, cond)),
            _ => None,
        }
    }

    /// The handle of the thread that a thread is about to join, if it is.
    pub fn joins(&self, thread: ThreadId) -> Option<u64> {
        match self.code.op(self.pc(thread)) {
            Op::Join { thread: target, .. } => Some(self.read(thread, target)),
            _ => None,
        }
    }

    fn name_thread(&mut self, name: String) -> ThreadId {
        let base = self.trail.reserve(field::COUNT);
        let chunk = self.trail.reserve(CHUNK_WORDS);
        self.threads.push(Thread {
            base,
            name,
            func: None,
            children: Vec::new(),
            objects: Vec::new(),
            thread_locals: Vec::new(),
            chunks: vec![(chunk, CHUNK_WORDS)],
        });
        ThreadId(self.threads.len() as u32 - 1)
    }

    fn start(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[(u128, bool)],
    ) -> Result<(), Fault> {
        self.threads[thread.0 as usize].func = Some(func);
        let (chunk, _) = self.threads[thread.0 as usize].chunks[0];
        self.set_status(thread, Status::Ready);
        self.set(thread, field::TOP, chunk.index());
        self.enter(thread, func, args, Pc(0), 0)
    }

    /// Spawns the thread of the `Spawn` operation that `parent` is at; the operation is complete.
    pub fn spawn(&mut self, parent: ThreadId) -> Result<ThreadId, Fault> {
        let Op::Spawn { dst, target, args } = self.code.op(self.pc(parent)) else {
            unreachable!("spawn at another operation")
        };
        let func = self.callee(parent, target)?;
        let args = self.arguments(parent, args);
        let nth = self.get(parent, field::SPAWNED);
        let child = match self.children(parent).get(nth as usize) {
            Some(child) => *child,
            None if self.threads.len() >= MAX_THREADS => {
                let message = format!("more than {MAX_THREADS} threads");
                return Err(Fault::new(FaultKind::Unsupported, message));
            }
            None => {
                let child = self.name_thread(self.child_name(parent, nth, func));
                self.threads[parent.0 as usize].children.push(child);
                child
            }
        };
        // It may have run something else in another execution, and so may its parent.
        let known = &self.threads[child.0 as usize];
        if known.func != Some(func) || !known.name.starts_with(self.thread_name(parent)) {
            self.threads[child.0 as usize].name = self.child_name(parent, nth, func);
        }
        self.set(parent, field::SPAWNED, nth + 1);
        self.start(child, func, &args)?;
        self.put(parent, dst, handle(child));
        self.step(parent);
        Ok(child)
    }

    /// `main.1:worker`: parent, which of its children, and what it runs.
    fn child_name(&self, parent: ThreadId, nth: u64, func: FuncId) -> String {
        let (who, func) = (self.thread_name(parent), &self.program.funcs[func].name);
        format!("{who}.{}:{func}", nth + 1)
    }

    /// The threads that a thread has spawned in any execution so far, in its own order.
    pub fn children(&self, thread: ThreadId) -> &[ThreadId] {
        &self.threads[thread.0 as usize].children
    }

    /// The thread that a handle names, if it has been spawned.
    pub fn thread_of(&self, handle: u64) -> Option<ThreadId> {
        let thread = ThreadId(u32::try_from(handle.checked_sub(1)?).ok()?);
        let known = (thread.0 as usize) < self.threads.len();
        (known && self.status(thread) != Status::Absent).then_some(thread)
    }

    // ---- operands and frames ----

    #[inline]
    pub(crate) fn slot(&self, thread: ThreadId, slot: Slot) -> Word {
        Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS + slot.0)
    }

    #[inline]
    pub(crate) fn read(&self, thread: ThreadId, src: Src) -> u64 {
        match src.get() {
            Source::Slot(slot) => self.trail.get(self.slot(thread, slot)),
            Source::Constant(index) => self.code.constants[index as usize],
            Source::Wide(index) => self.code.wides[index as usize] as u64,
            Source::ThreadLocal(index) => self.thread_local_address(thread, index),
        }
    }

    pub(crate) fn read_wide(&self, thread: ThreadId, src: Src) -> u128 {
        match src.get() {
            Source::Slot(slot) => {
                let word = self.slot(thread, slot);
                let (low, high) = (self.trail.get(word), self.trail.get(word.at(1)));
                u128::from(high) << 64 | u128::from(low)
            }
            Source::Wide(index) => self.code.wides[index as usize],
            _ => self.read(thread, src).into(),
        }
    }

    #[inline]
    pub(crate) fn read_as(&self, thread: ThreadId, src: Src, wide: bool) -> u128 {
        if wide { self.read_wide(thread, src) } else { self.read(thread, src).into() }
    }

    #[inline]
    pub(crate) fn put(&mut self, thread: ThreadId, slot: Slot, value: u64) {
        let word = self.slot(thread, slot);
        self.trail.set(word, value);
    }

    #[inline]
    pub(crate) fn put_as(&mut self, thread: ThreadId, slot: Slot, value: u128, wide: bool) {
        let word = self.slot(thread, slot);
        self.trail.set(word, value as u64);
        if wide {
            self.trail.set(word.at(1), (value >> 64) as u64);
        }
    }

    #[inline]
    pub(crate) fn step(&mut self, thread: ThreadId) {
        let pc = self.get(thread, field::PC);
        self.set(thread, field::PC, pc + 1);
    }

    pub(crate) fn callee(&self, thread: ThreadId, target: Target) -> Result<FuncId, Fault> {
        let fault = |kind, message: String| Err(Fault::new(kind, message));
        let func = match target {
            Target::Func(func) => func,
            Target::Pointer(src) => {
                let addr = self.read(thread, src);
                match layout::function_at(addr, self.code.funcs.len()) {
                    Some(func) => func,
                    None => {
                        let message = format!("calls {addr:#x}, which is no function");
                        return fault(FaultKind::Memory, message);
                    }
                }
            }
        };
        if self.code.funcs[func.as_u32() as usize].entry.is_none() {
            let name = &self.program.funcs[func].name;
            return fault(
                FaultKind::Unsupported,
                format!("calls {name}, which is declared but not defined"),
            );
        }
        Ok(func)
    }

    pub(crate) fn arguments(&self, thread: ThreadId, args: crate::code::Args) -> Vec<(u128, bool)> {
        let args = self.code.args(args);
        args.iter().map(|(src, wide)| (self.read_as(thread, *src, *wide), *wide)).collect()
    }

    /// Makes a frame for `func` and goes to its entry. `result` is the caller's slot, plus 1,
    /// and its width in bits above that; 0 for none.
    pub(crate) fn enter(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[(u128, bool)],
        return_pc: Pc,
        result: u64,
    ) -> Result<(), Fault> {
        let code = &self.code.funcs[func.as_u32() as usize];
        let (words, entry) = (frame::SLOTS + code.slots, code.entry);
        let params: Vec<(Slot, Type)> = code.regs[..code.params as usize].to_vec();
        if args.len() != params.len() || entry.is_none() {
            let name = &self.program.funcs[func].name;
            let message =
                format!("calls {name} with {} arguments, which takes {}", args.len(), params.len());
            return Err(Fault::new(FaultKind::Unsupported, message));
        }
        let (top, chunk) = (self.get(thread, field::TOP), self.get(thread, field::CHUNK));
        let (base, in_chunk) = self.stack_room(thread, top, chunk, words)?;
        for (offset, value) in [
            (frame::RETURN_PC, u64::from(return_pc.0)),
            (frame::CALLER, self.get(thread, field::FRAME)),
            (frame::RESULT, result),
            (frame::TOP, top),
            (frame::CHUNK, chunk),
            (frame::ALLOCAS, 0),
        ] {
            self.trail.set(base.at(offset), value);
        }
        self.set(thread, field::FRAME, base.index());
        self.set(thread, field::TOP, base.at(words).index());
        self.set(thread, field::CHUNK, in_chunk);
        for ((slot, ty), (value, _)) in params.into_iter().zip(args) {
            self.put_as(thread, slot, *value & ty.mask(), is_wide(ty));
        }
        self.set(thread, field::PC, entry.map_or(0, |pc| pc.0.into()));
        Ok(())
    }

    /// Room for `words` of frame: the rest of the chunk, or a later one.
    fn stack_room(
        &mut self,
        thread: ThreadId,
        top: u64,
        chunk: u64,
        words: u32,
    ) -> Result<(Word, u64), Fault> {
        let (first, len) = self.threads[thread.0 as usize].chunks[chunk as usize];
        if top + u64::from(words) <= first.index() + u64::from(len) {
            return Ok((Word::from_index(top), chunk));
        }
        let next = chunk + 1;
        let chunks = &self.threads[thread.0 as usize].chunks;
        let used: u32 = chunks[..next as usize].iter().map(|(_, len)| len).sum();
        if used + words > MAX_STACK {
            return Err(Fault::new(FaultKind::Memory, "calls too deep: stack overflow"));
        }
        match chunks.get(next as usize) {
            Some((base, len)) if *len >= words => Ok((*base, next)),
            known => {
                let fresh = known.is_none();
                let len = words.max(used.max(CHUNK_WORDS));
                let base = self.trail.reserve(len);
                let chunks = &mut self.threads[thread.0 as usize].chunks;
                if fresh {
                    chunks.push((base, len));
                } else {
                    chunks[next as usize] = (base, len);
                }
                Ok((base, next))
            }
        }
    }

    /// Leaves the current frame. True if it was the outermost one: the thread has ended.
    pub(crate) fn leave(&mut self, thread: ThreadId, value: u128) -> bool {
        let base = Word::from_index(self.get(thread, field::FRAME));
        let [pc, caller, result, top, chunk] =
            [frame::RETURN_PC, frame::CALLER, frame::RESULT, frame::TOP, frame::CHUNK]
                .map(|offset| self.trail.get(base.at(offset)));
        if caller == 0 {
            self.finish(thread, value as u64);
            return true;
        }
        self.set(thread, field::FRAME, caller);
        self.set(thread, field::TOP, top);
        self.set(thread, field::CHUNK, chunk);
        self.set(thread, field::PC, pc);
        if result != 0 {
            // A call through a pointer may expect another width.
            let ty = Type::Int((result >> 32) as u8);
            let value = value & ty.mask();
            self.put_as(thread, Slot(result as u32 - 1), value, is_wide(ty));
        }
        false
    }

    pub(crate) fn finish(&mut self, thread: ThreadId, result: u64) {
        self.set(thread, field::RESULT, result);
        self.set_status(thread, Status::Finished);
    }

    // ---- objects ----

    /// Allocates the thread's next object.
    pub(crate) fn allocate(
        &mut self,
        thread: ThreadId,
        size: u64,
        kind: ObjectKind,
    ) -> Result<ObjectId, Fault> {
        if size > MAX_OBJECT {
            let message = format!("allocates {size} bytes; the most is {MAX_OBJECT}");
            return Err(Fault::new(FaultKind::Unsupported, message));
        }
        let nth = self.get(thread, field::OBJECTS);
        let known = self.threads[thread.0 as usize].objects.get(nth as usize).copied();
        let object = match known {
            Some(object) => object,
            None => {
                let object = self.memory.name_object(&mut self.trail, size as u32)?;
                self.threads[thread.0 as usize].objects.push(object);
                object
            }
        };
        self.memory.allocate(&mut self.trail, object, size as u32, kind)?;
        self.set(thread, field::OBJECTS, nth + 1);
        Ok(object)
    }

    /// The thread's copy of a thread-local global, made on first use.
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
                let size = self.program.globals[global].size as u32;
                let object = self.memory.name_object(&mut self.trail, size)?;
                self.threads[thread.0 as usize].thread_locals.push((global, object));
                object
            }
        };
        if self.memory.header(&self.trail, object).1 == ObjectState::Absent {
            self.initialise(object, global)?;
        }
        Ok(object)
    }

    /// The address behind a thread-local operand; `run` has made the copy.
    fn thread_local_address(&self, thread: ThreadId, index: u32) -> u64 {
        let (global, offset) = self.code.thread_locals[index as usize];
        let locals = &self.threads[thread.0 as usize].thread_locals;
        let object = locals.iter().find(|(id, _)| *id == global).map(|(_, object)| *object);
        object.map_or(0, object_address).wrapping_add_signed(offset)
    }

    // ---- results ----

    /// The final value of an observable.
    pub fn observe(&self, what: Observed) -> u64 {
        match what {
            Observed::Reg(thread, reg) => {
                let thread = &self.threads[thread.as_u32() as usize];
                let Some(func) = thread.func else { return 0 };
                let (slot, _) = self.code.funcs[func.as_u32() as usize].regs[reg.as_u32() as usize];
                // The outermost frame is the first thing in the first chunk.
                self.trail.get(thread.chunks[0].0.at(frame::SLOTS + slot.0))
            }
            Observed::Mem { global, offset, ty } => {
                let addr = layout::global_address(global) + offset;
                let place = self.memory.place(&self.trail, addr, ty.bytes(), Purpose::Read);
                place.map_or(0, |place| self.memory.read(&self.trail, place) as u64)
            }
        }
    }

    /// Bytes held, for memory limits.
    pub fn bytes(&self) -> usize {
        self.trail.bytes()
    }

    // ---- visible operations ----

    /// The visible operation that a ready thread is at.
    pub fn visible(&self, thread: ThreadId) -> Visible {
        let word = |src| self.read(thread, src);
        let value = |src, ty| self.read_as(thread, src, is_wide(ty));
        match self.code.op(self.pc(thread)) {
            Op::Load { ty, addr, access, .. } => Visible::Load { addr: word(addr), ty, access },
            Op::Store { ty, addr, value: v, access } => {
                Visible::Store { addr: word(addr), ty, value: value(v, ty), access }
            }
            Op::Rmw { op, ty, addr, value: v, .. } => {
                Visible::Rmw { addr: word(addr), ty, op, operand: value(v, ty) }
            }
            Op::CmpXchg { ty, addr, expected, new, .. } => Visible::CmpXchg {
                addr: word(addr),
                ty,
                expected: value(expected, ty),
                new: value(new, ty),
            },
            Op::StoreCond { ty, addr, value: v, .. } => {
                Visible::StoreCond { addr: word(addr), ty, value: value(v, ty) }
            }
            Op::Fence { kind } => Visible::Fence { kind },
            Op::Free { addr } => Visible::Free { addr: word(addr), of_frame: false },
            Op::DropAllocas => {
                let addr = self.newest_alloca(thread).map_or(0, object_address);
                Visible::Free { addr, of_frame: true }
            }
            Op::Spawn { .. } => Visible::Spawn,
            Op::Join { thread: handle, .. } => Visible::Join { handle: word(handle) },
            Op::Lock { addr } => Visible::Lock { addr: word(addr) },
            Op::TryLock { addr, .. } => Visible::TryLock { addr: word(addr) },
            Op::Unlock { addr } => Visible::Unlock { addr: word(addr) },
            Op::CondWait { cond, mutex } => match self.phase(thread) {
                Phase::Outside => Visible::CondEnqueue { addr: word(cond), mutex: word(mutex) },
                Phase::Enqueued | Phase::EnqueuedWoken => Visible::Unlock { addr: word(mutex) },
                Phase::Waiting => Visible::Relock { addr: word(mutex), woken: false },
                Phase::Woken => Visible::Relock { addr: word(mutex), woken: true },
            },
            Op::CondSignal { cond } => Visible::Signal { addr: word(cond) },
            Op::CondBroadcast { cond } => Visible::Broadcast { addr: word(cond) },
            Op::Await { ty, pred, addr, value: v, .. } => {
                Visible::Await { addr: word(addr), ty, pred, value: value(v, ty) }
            }
            Op::Choose { lo, hi, .. } => Visible::Choose { count: (hi - lo).saturating_add(1) },
            op => unreachable!("{op:?} is not a visible operation"),
        }
    }

    /// The ordinary load that a thread is at, if it is at one: destination, type, address. What
    /// [`Machine::visible`] and [`Machine::complete`] do for all operations, cut to the commonest.
    #[inline]
    pub fn at_load(&self, thread: ThreadId) -> Option<(Slot, Type, u64)> {
        match &self.code.ops[self.pc(thread).0 as usize] {
            Op::Load { dst, ty, addr, access }
                if !access.exclusive && !is_wide(*ty) && ty.bits() % 8 == 0 =>
            {
                Some((*dst, *ty, self.read(thread, *addr)))
            }
            _ => None,
        }
    }

    /// Finishes the load that [`Machine::at_load`] told of.
    #[inline]
    pub fn complete_load(&mut self, thread: ThreadId, dst: Slot, value: u64) {
        self.put(thread, dst, value);
        self.step(thread);
    }

    /// The ordinary store that a thread is at, if it is at one: type, address, value.
    #[inline]
    pub fn at_store(&self, thread: ThreadId) -> Option<(Type, u64, u64)> {
        match &self.code.ops[self.pc(thread).0 as usize] {
            Op::Store { ty, addr, value, .. } if !is_wide(*ty) => {
                Some((*ty, self.read(thread, *addr), self.read(thread, *value)))
            }
            _ => None,
        }
    }

    /// The same, if the store asks for no order.
    #[inline]
    pub fn at_plain_store(&self, thread: ThreadId) -> Option<(Type, u64, u64)> {
        let op = &self.code.ops[self.pc(thread).0 as usize];
        let plain = matches!(op, Op::Store { access, .. }
            if matches!(access.order, Order::Asm | Order::Plain | Order::Relaxed));
        if plain { self.at_store(thread) } else { None }
    }

    /// Finishes the store that [`Machine::at_store`] told of.
    #[inline]
    pub fn complete_store(&mut self, thread: ThreadId) {
        self.step(thread);
    }

    /// Whether any thread can ever wait for another to end.
    pub fn has_joins(&self) -> bool {
        self.code.has_joins
    }

    /// Finishes the visible operation that the thread is at: `value` goes to its destination, `ok`
    /// says whether a conditional operation succeeded. The thread moves past it.
    #[inline]
    pub fn complete(&mut self, thread: ThreadId, value: u128, ok: bool) {
        match self.code.op(self.pc(thread)) {
            Op::Load { dst, ty, .. } | Op::Rmw { dst, ty, .. } | Op::Await { dst, ty, .. } => {
                self.put_as(thread, dst, value & ty.mask(), is_wide(ty));
            }
            Op::CmpXchg { dst, ok: flag, ty, .. } => {
                self.put_as(thread, dst, value & ty.mask(), is_wide(ty));
                self.put(thread, flag, ok.into());
            }
            Op::StoreCond { ok: dst, .. } | Op::TryLock { dst, .. } => {
                self.put(thread, dst, ok.into());
            }
            Op::Join { dst: Some(dst), .. } => self.put(thread, dst, value as u64),
            Op::Choose { dst, lo, .. } => self.put(thread, dst, lo + value as u64),
            Op::CondWait { .. } => {
                let next = match self.phase(thread) {
                    Phase::Outside => Phase::Enqueued,
                    Phase::Enqueued => Phase::Waiting,
                    Phase::EnqueuedWoken => Phase::Woken,
                    Phase::Waiting | Phase::Woken => Phase::Outside,
                };
                self.set(thread, field::PHASE, next as u64);
                if next != Phase::Outside {
                    return;
                }
            }
            Op::DropAllocas => {
                if let Some(object) = self.newest_alloca(thread) {
                    let next = self.trail.get(self.memory.link(object));
                    let head = Word::from_index(self.get(thread, field::FRAME)).at(frame::ALLOCAS);
                    self.trail.set(head, next);
                }
                return;
            }
            _ => {}
        }
        self.step(thread);
    }

    pub(crate) fn newest_alloca(&self, thread: ThreadId) -> Option<ObjectId> {
        let head = Word::from_index(self.get(thread, field::FRAME)).at(frame::ALLOCAS);
        let newest = self.trail.get(head);
        newest.checked_sub(1).map(|object| ObjectId(object as u32))
    }
}
