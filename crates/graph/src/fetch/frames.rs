//! Registers, calls, returns, and threads that start.

use super::sets::DepsId;
use super::value::{Expr, Val};
use super::{Status, Thread, Threads, field, unsupported};
use crate::table::{from_word, to_word};
use raddle_engine::Cast;
use raddle_ir::{CastOp, FuncId, Operand, Type};
use raddle_machine::code::{Args, Pc, Slot, Source, Src, Target, is_wide};
use raddle_machine::thread::MAX_THREADS;
use raddle_machine::{Fault, ThreadId, Word, layout};
use smallvec::SmallVec;

/// Offsets of a frame's header.
pub(super) mod header {
    pub(in crate::fetch) const RETURN_PC: u32 = 0;
    /// Word 0 of the caller's frame.
    pub(in crate::fetch) const CALLER: u32 = 1;
    /// The caller's slot for the result, plus 1; bit 32 says that it is wide.
    pub(in crate::fetch) const RESULT: u32 = 2;
    /// The newest object of the frame, plus 1; they form a list.
    pub(in crate::fetch) const ALLOCAS: u32 = 3;
    pub(in crate::fetch) const SLOTS: u32 = 4;
}

/// Calls within calls that a thread may have.
const MAX_DEPTH: u64 = 10_000;

pub(super) type Arguments = SmallVec<[Val; 4]>;

/// A value as two words of bits and a word that says the rest; a register has the first and the
/// last, and the first of the next slot if it is wide.
fn tag(value: Val) -> u64 {
    to_word(value.node) << 32 | u64::from(value.deps.0)
}

fn untag(bits: u128, tag: u64) -> Val {
    Val { bits, node: from_word(tag >> 32), deps: DepsId(tag as u32) }
}

impl Threads<'_> {
    #[inline]
    pub(super) fn frame(&self, thread: ThreadId) -> Word {
        Word::from_index(self.get(thread, field::FRAME))
    }

    fn slot_word(frame: Word, slot: Slot) -> Word {
        frame.at(header::SLOTS + 2 * slot.0)
    }

    #[inline]
    pub(super) fn register(&self, frame: Word, slot: Slot, wide: bool) -> Val {
        let word = Self::slot_word(frame, slot);
        let low = u128::from(self.trail.get(word));
        let high = if wide { u128::from(self.trail.get(word.at(2))) } else { 0 };
        untag(high << 64 | low, self.trail.get(word.at(1)))
    }

    pub(super) fn own_register(&self, thread: ThreadId, slot: Slot, wide: bool) -> Val {
        self.register(self.frame(thread), slot, wide)
    }

    /// Reads an operand; a copy of a thread-local global is made if it is not there yet.
    #[inline]
    pub(super) fn read(&mut self, thread: ThreadId, src: Src, wide: bool) -> Result<Val, Fault> {
        Ok(match src.get() {
            Source::Slot(slot) => self.register(self.frame(thread), slot, wide),
            Source::Constant(index) => Val::known(self.code.constants[index as usize].into()),
            Source::Wide(index) => Val::known(self.code.wides[index as usize]),
            Source::ThreadLocal(index) => {
                let (global, offset) = self.code.thread_locals[index as usize];
                let object = self.thread_local(thread, global)?;
                let addr = layout::object_address(object).wrapping_add_signed(offset);
                Val::known(addr.into())
            }
        })
    }

    fn put_in(&mut self, frame: Word, slot: Slot, value: Val, wide: bool) {
        let word = Self::slot_word(frame, slot);
        self.trail.set(word, value.bits as u64);
        self.trail.set(word.at(1), tag(value));
        if wide {
            self.trail.set(word.at(2), (value.bits >> 64) as u64);
        }
    }

    pub(super) fn put(&mut self, thread: ThreadId, slot: Slot, value: Val, wide: bool) {
        self.put_in(self.frame(thread), slot, value, wide);
    }

    /// Words of a frame that belong to a loop.
    pub(super) fn loop_words(&self, thread: ThreadId, slot: Slot) -> Word {
        Self::slot_word(self.frame(thread), slot)
    }

    pub(super) fn allocas(&self, thread: ThreadId) -> Word {
        self.frame(thread).at(header::ALLOCAS)
    }

    pub(super) fn arguments(&mut self, thread: ThreadId, args: Args) -> Result<Arguments, Fault> {
        let mut values = Arguments::new();
        for n in 0..args.len {
            let (src, wide) = self.code.args[(args.start + n) as usize];
            values.push(self.read(thread, src, wide)?);
        }
        Ok(values)
    }

    /// The function that a call goes to; `None` if that is not known yet.
    pub(super) fn callee(
        &mut self,
        thread: ThreadId,
        target: Target,
    ) -> Result<Option<FuncId>, Fault> {
        let src = match target {
            Target::Func(func) => return Ok(Some(func)),
            Target::Pointer(src) => src,
        };
        let value = self.read(thread, src, false)?;
        let Some(addr) = self.branch_on(thread, value) else { return Ok(None) };
        match layout::function_at(addr as u64, self.code.funcs.len()) {
            Some(func) => Ok(Some(func)),
            None => Err(Fault::calls_no_function(addr as u64)),
        }
    }

    /// Enters a function.
    pub(super) fn enter(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[Val],
        back: Pc,
        result: Option<(Slot, bool)>,
    ) -> Result<Pc, Fault> {
        let depth = self.get(thread, field::DEPTH);
        if depth >= MAX_DEPTH {
            return Err(unsupported(format!("calls are nested deeper than {MAX_DEPTH}")));
        }
        let code = &self.code.funcs[func.as_u32() as usize];
        let Some(entry) = code.entry else {
            return Err(Fault::calls_undefined(&self.program.funcs[func].name));
        };
        // Surplus arguments do no harm on any machine; C's `void *f()`, spawned, relies on that.
        let count = code.params as usize;
        if count > args.len() {
            let name = &self.program.funcs[func].name;
            return Err(Fault::too_few_arguments(name, args.len(), count));
        }
        let params: SmallVec<[(Slot, Type); 4]> = code.regs[..count].into();
        let (slots, registers) = (code.slots, code.register_slots);
        let frame = self.frame_at(thread, depth as usize, header::SLOTS + 2 * slots);
        let caller = self.get(thread, field::FRAME);
        let result =
            result.map_or(0, |(slot, wide)| u64::from(wide) << 32 | (u64::from(slot.0) + 1));
        for (at, value) in [
            (header::RETURN_PC, back.0.into()),
            (header::CALLER, caller),
            (header::RESULT, result),
            (header::ALLOCAS, 0),
        ] {
            self.trail.set(frame.at(at), value);
        }
        for at in registers..slots {
            let word = Self::slot_word(frame, Slot(at));
            self.trail.set(word, 0);
            self.trail.set(word.at(1), 0);
        }
        for ((slot, ty), value) in params.into_iter().zip(args) {
            let (op, from) = (CastOp::Trunc, Type::I128);
            let cut = Expr::Cast { op, from, to: ty, a: *value };
            let value = self.nodes.result(&mut self.trail, cut, value.deps);
            self.put_in(frame, slot, value, is_wide(ty));
        }
        self.set(thread, field::FRAME, frame.index());
        self.set(thread, field::DEPTH, depth + 1);
        Ok(entry)
    }

    /// The words of the frame at a depth, for good.
    fn frame_at(&mut self, thread: ThreadId, depth: usize, words: u32) -> Word {
        let frames = &mut self.records[thread].frames;
        if let Some((frame, len)) = frames.get(depth)
            && *len >= words
        {
            return *frame;
        }
        let frame = self.trail.reserve(words);
        match frames.get_mut(depth) {
            Some(known) => *known = (frame, words),
            None => frames.push((frame, words)),
        }
        frame
    }

    /// Leaves a function: the place to return to, or `None` if the thread has ended.
    pub(super) fn leave(&mut self, thread: ThreadId, value: Val) -> Option<Pc> {
        let frame = self.frame(thread);
        let depth = self.get(thread, field::DEPTH);
        if depth <= 1 {
            self.finish(thread, value);
            return None;
        }
        let caller = self.trail.get(frame.at(header::CALLER));
        let result = self.trail.get(frame.at(header::RESULT));
        let back = self.trail.get(frame.at(header::RETURN_PC));
        self.set(thread, field::FRAME, caller);
        self.set(thread, field::DEPTH, depth - 1);
        if result as u32 != 0 {
            self.put(thread, Slot(result as u32 - 1), value, result >> 32 != 0);
        }
        Some(Pc(back as u32))
    }

    /// Ends a thread, and with it the objects of all its frames and its copies of thread-local
    /// globals.
    pub(super) fn finish(&mut self, thread: ThreadId, value: Val) {
        let mut frame = self.frame(thread);
        for _ in 0..self.get(thread, field::DEPTH) {
            self.drop_list(thread, frame.at(header::ALLOCAS));
            frame = Word::from_index(self.trail.get(frame.at(header::CALLER)));
        }
        self.drop_thread_locals(thread);
        self.set(thread, field::RESULT, value.bits as u64);
        self.set(thread, field::RESULT + 1, tag(value));
        self.set_status(thread, Status::Finished);
    }

    /// The return value of a finished thread. Dependencies do not leave a thread, so it has none.
    pub(super) fn result(&self, thread: ThreadId) -> Val {
        let bits = self.get(thread, field::RESULT).into();
        Val { deps: DepsId::NONE, ..untag(bits, self.get(thread, field::RESULT + 1)) }
    }

    pub(super) fn add_thread(&mut self, name: String) -> ThreadId {
        let words = self.trail.reserve(field::ALL);
        self.records.push(Thread {
            name,
            func: None,
            words,
            children: Vec::new(),
            objects: Vec::new(),
            thread_locals: Vec::new(),
            frames: Vec::new(),
            events: Vec::new(),
            joins: Vec::new(),
        })
    }

    pub(super) fn start(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[Val],
    ) -> Result<(), Fault> {
        self.records[thread].func = Some(func);
        let entry = self.enter(thread, func, args, Pc(0), None)?;
        self.set(thread, field::PC, entry.0.into());
        self.set_status(thread, Status::Ready);
        Ok(())
    }

    pub(super) fn initial_value(
        &mut self,
        thread: ThreadId,
        operand: Operand,
    ) -> Result<Val, Fault> {
        Ok(Val::known(match operand {
            Operand::Int(bits) => bits,
            Operand::Func(func) => layout::function_address(func).into(),
            Operand::Global(global, by) if self.program.globals[global].thread_local => {
                let object = self.thread_local(thread, global)?;
                layout::object_address(object).wrapping_add_signed(by).into()
            }
            Operand::Global(global, by) => {
                layout::global_address(global).wrapping_add_signed(by).into()
            }
            Operand::Reg(_) | Operand::Undef => 0,
        }))
    }

    /// Starts a thread. The events of its parent come before it, as by a full fence.
    pub(super) fn spawn(
        &mut self,
        parent: ThreadId,
        func: FuncId,
        args: &[Val],
    ) -> Result<ThreadId, Fault> {
        let nth = self.get(parent, field::SPAWNED);
        let known = self.records[parent].children.get(nth as usize).copied();
        let name = self.child_name(parent, nth, func, args);
        let child = match known {
            Some(child) => {
                self.records[child].name = name;
                child
            }
            None if self.records.len() >= MAX_THREADS as usize => {
                return Err(Fault::too_many_threads());
            }
            None => {
                let child = self.add_thread(name);
                self.records[parent].children.push(child);
                child
            }
        };
        self.set(parent, field::SPAWNED, nth + 1);
        self.full_fence(parent);
        let clock = self.get(parent, field::CLOCK);
        self.set(child, field::CLOCK, clock);
        // The loads that the arguments depend on are ordered before the thread anyway.
        let args: Arguments =
            args.iter().map(|value| Val { deps: DepsId::NONE, ..*value }).collect();
        self.start(child, func, &args)?;
        Ok(child)
    }

    /// The name of the `nth` thread that a thread starts.
    fn child_name(&self, parent: ThreadId, nth: u64, func: FuncId, args: &[Val]) -> String {
        let argument = args.first().and_then(|value| self.value(*value)).map(|addr| addr as u64);
        let name = self.thread_name(parent);
        raddle_machine::child_name(self.program, name, nth, func, argument, &self.stack(parent))
    }

    /// A full fence: all events of the thread before it come before all later ones.
    pub(super) fn full_fence(&mut self, thread: ThreadId) {
        let events = self.fetched(thread);
        let clock = self.clocks.raise(self.clock(thread), thread, events);
        self.set(thread, field::CLOCK, clock.0.into());
    }
}
