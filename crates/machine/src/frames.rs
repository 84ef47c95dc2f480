//! Operands and frames: reading registers, calls, returns.

use crate::code::{Args, Pc, Slot, Source, Src, Target, is_wide};
use crate::fault::{FailureKind, Fault};
use crate::layout;
use crate::machine::Machine;
use crate::thread::{CHUNK_WORDS, MAX_STACK, Status, ThreadId, field, frame};
use crate::trail::Word;
use raddle_ir::{FuncId, LocId, Type};
use smallvec::SmallVec;

/// The values of a call's arguments, with whether they are wide.
pub(crate) type Arguments = SmallVec<[(u128, bool); 4]>;

impl Machine<'_> {
    #[inline]
    pub(crate) fn slot(&self, thread: ThreadId, slot: Slot) -> Word {
        Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS + slot.0)
    }

    pub(crate) fn read(&self, thread: ThreadId, src: Src) -> u64 {
        match src.get() {
            Source::Slot(slot) => self.trail.get(self.slot(thread, slot)),
            Source::Constant(index) => self.code.constants[index as usize],
            Source::Wide(index) => self.code.wides[index as usize] as u64,
            Source::ThreadLocal(index) => self.thread_local_address(thread, index),
        }
    }

    /// [`Machine::read`] for the operands of quick operations.
    #[inline(always)]
    pub(crate) fn read_word(&self, thread: ThreadId, src: Src) -> u64 {
        match src.get() {
            Source::Slot(slot) => self.trail.get(self.slot(thread, slot)),
            Source::Constant(index) => self.code.constants[index as usize],
            _ => self.read(thread, src),
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

    /// The source position of an operation in a frame. If it has none, that of the innermost call on the
    /// stack that has one. `word` reads the words of the moment in question.
    pub(crate) fn loc_through(&self, pc: Pc, frame: Word, word: impl Fn(Word) -> u64) -> LocId {
        let (mut loc, mut frame) = (self.code.loc(pc), frame);
        while loc == LocId::NONE {
            let caller = word(frame.at(frame::CALLER));
            if caller == 0 {
                break;
            }
            // A call is right before its return address.
            let call = (word(frame.at(frame::RETURN_PC)) as u32).saturating_sub(1);
            (loc, frame) = (self.code.loc(Pc(call)), Word::from_index(caller));
        }
        loc
    }

    #[inline]
    pub(crate) fn step(&mut self, thread: ThreadId) {
        let pc = self.get(thread, field::PC);
        self.set(thread, field::PC, pc + 1);
    }

    pub(crate) fn callee(&self, thread: ThreadId, target: Target) -> Result<FuncId, Fault> {
        let func = match target {
            Target::Func(func) => func,
            Target::Pointer(src) => {
                let addr = self.read(thread, src);
                let func = layout::function_at(addr, self.code.funcs.len());
                func.ok_or_else(|| Fault::calls_no_function(addr))?
            }
        };
        if self.code.funcs[func.as_u32() as usize].entry.is_none() {
            return Err(Fault::calls_undefined(&self.program.funcs[func].name));
        }
        Ok(func)
    }

    pub(crate) fn arguments(&self, thread: ThreadId, args: Args) -> Arguments {
        let args = self.code.args(args);
        args.iter().map(|(src, wide)| (self.read_as(thread, *src, *wide), *wide)).collect()
    }

    /// Makes a frame for `func` and returns its entry. `result` is the caller's slot, plus 1, with its width
    /// in bits from bit 32; 0 for none.
    pub(crate) fn enter(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[(u128, bool)],
        return_pc: Pc,
        result: u64,
    ) -> Result<Pc, Fault> {
        let code = &self.code.funcs[func.as_u32() as usize];
        let (words, entry) = (frame::SLOTS + code.slots, code.entry);
        let loop_slots = code.register_slots..code.slots;
        let params: SmallVec<[(Slot, Type); 4]> = code.regs[..code.params as usize].into();
        // Surplus arguments are harmless on all machines. Spawning C's `void *f()` relies on this.
        let Some(entry) = entry.filter(|_| args.len() >= params.len()) else {
            let name = &self.program.funcs[func].name;
            return Err(Fault::too_few_arguments(name, args.len(), params.len()));
        };
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
        for slot in loop_slots {
            self.trail.set(base.at(frame::SLOTS + slot), 0);
        }
        for ((slot, ty), (value, _)) in params.into_iter().zip(args) {
            self.put_as(thread, slot, *value & ty.mask(), is_wide(ty));
        }
        Ok(entry)
    }

    /// Finds space for a frame of `words` words: in the rest of the chunk, or in the next one.
    pub(crate) fn stack_room(
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
            return Err(Fault::new(FailureKind::Memory, "calls too deep: stack overflow"));
        }
        match chunks.get(next as usize) {
            Some((base, len)) if *len >= words => Ok((*base, next)),
            known => {
                let fresh = known.is_none();
                let len = words.max(used.max(CHUNK_WORDS));
                if !self.trail.affords(len.into()) {
                    let message = "calls need more stack than there is memory for";
                    return Err(Fault::new(FailureKind::Unsupported, message));
                }
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

    /// Leaves the current frame and returns the address to continue at. `None` if it was the outermost frame:
    /// the thread has ended.
    pub(crate) fn leave(&mut self, thread: ThreadId, value: u128) -> Option<Pc> {
        let base = Word::from_index(self.get(thread, field::FRAME));
        let [pc, caller, result, top, chunk] =
            [frame::RETURN_PC, frame::CALLER, frame::RESULT, frame::TOP, frame::CHUNK]
                .map(|offset| self.trail.get(base.at(offset)));
        if caller == 0 {
            self.finish(thread, value as u64);
            return None;
        }
        self.set(thread, field::FRAME, caller);
        self.set(thread, field::TOP, top);
        self.set(thread, field::CHUNK, chunk);
        if result != 0 {
            // A call through a pointer may expect another width.
            let ty = Type::Int((result >> 32) as u8);
            let value = value & ty.mask();
            self.put_as(thread, Slot(result as u32 - 1), value, is_wide(ty));
        }
        Some(Pc(pc as u32))
    }

    #[inline]
    pub(crate) fn finish(&mut self, thread: ThreadId, result: u64) {
        self.set(thread, field::RESULT, result);
        self.set_status(thread, Status::Finished);
    }
}
