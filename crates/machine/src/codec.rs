//! States encoded as bytes: a stateful engine keeps them, and returns to them.
//!
//! A state consists of *components*: a byte string for each thread, and one for each group of [`GROUP`]
//! objects. Two moments of one machine have equal components iff the machine behaves the same from both.
//! Registers that will not be read again are left out, and so is the past of a thread that has stopped. The
//! places of frames in the trail are not encoded: decoding puts the frames where a fresh thread would.
//!
//! Invariants:
//! - The machine bounds no loops ([`Bounds::unroll`](crate::Bounds)), and it stops threads only in loops that
//!   read nothing ([`Watch::Silent`](crate::Watch)). So the words of loops concern only the past, and are
//!   left out.
//! - Decoding starts from the machine as it was made ([`Machine::new`]). Parts that a string does not contain
//!   are as they were then.
//! - Numbers are LEB128, low seven bits first.

use crate::code::{Op, Pc, Slot, is_wide};
use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::needed::{needed, observed_slots};
use crate::thread::{Status, ThreadId, field, frame};
use crate::trail::Word;
use raddle_ir::{GlobalId, Type};
use smallvec::SmallVec;

/// Objects of one component.
pub const GROUP: u32 = 8;

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Removes a number from the front; 0 if nothing is left.
pub fn take(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    value
}

impl Machine<'_> {
    /// Computes the needed slots of all functions. To be called before the first encoding.
    pub fn prepare_codec(&mut self) {
        debug_assert!(!self.bounds.unroll.is_some(), "loops are bounded");
        let funcs: Vec<_> = self.program.funcs.keys().collect();
        self.needed = funcs.iter().map(|id| needed(self.program, &self.code, *id)).collect();
        self.observed =
            funcs.iter().map(|id| observed_slots(self.program, &self.code, *id)).collect();
        self.func_of = vec![0; self.code.ops.len()];
        for id in funcs {
            self.func_of[self.code.operations(id)].fill(id.as_u32());
        }
    }

    fn func_at(&self, pc: u64) -> usize {
        self.func_of[pc as usize] as usize
    }

    /// Appends the component of a thread; nothing for an absent one.
    pub fn encode_thread(&self, thread: ThreadId, out: &mut Vec<u8>) {
        let status = self.status(thread);
        if status == Status::Absent {
            return;
        }
        out.push(status as u8);
        if status != Status::Ready {
            match status {
                Status::Finished | Status::Halted => self.encode_end(thread, out),
                // The end of the search needs the loop in which it spins.
                Status::Spinning => {
                    put(out, self.get(thread, field::PC));
                    self.encode_end(thread, out);
                }
                _ => {}
            }
            return;
        }
        for field in [field::OBJECTS, field::SPAWNED, field::PHASE] {
            put(out, self.get(thread, field));
        }
        let mut frames: SmallVec<[Word; 8]> = SmallVec::new();
        let mut base = self.get(thread, field::FRAME);
        while base != 0 {
            frames.push(Word::from_index(base));
            base = self.trail.get(Word::from_index(base).at(frame::CALLER));
        }
        put(out, frames.len() as u64);
        // From the outermost frame inwards. The position of a frame is the return address of the next one.
        for n in (0..frames.len()).rev() {
            let inner = n.checked_sub(1).map(|inner| frames[inner]);
            self.encode_frame(thread, frames[n], inner, out);
        }
    }

    fn encode_end(&self, thread: ThreadId, out: &mut Vec<u8>) {
        put(out, if self.code.has_joins { self.get(thread, field::RESULT) } else { 0 });
        for slot in self.end_slots(thread) {
            put(out, self.trail.get(self.end_word(thread, *slot)));
        }
    }

    /// The observed slots of a thread that has ended.
    fn end_slots(&self, thread: ThreadId) -> &[u32] {
        let func = self.threads[thread.0 as usize].func;
        func.map_or(&[], |func| &self.observed[func.as_u32() as usize])
    }

    /// A slot of the outermost frame, which is at the start of the first chunk.
    fn end_word(&self, thread: ThreadId, slot: u32) -> Word {
        self.threads[thread.0 as usize].chunks[0].0.at(frame::SLOTS + slot)
    }

    fn encode_frame(&self, thread: ThreadId, base: Word, inner: Option<Word>, out: &mut Vec<u8>) {
        let pc = match inner {
            Some(inner) => self.trail.get(inner.at(frame::RETURN_PC)),
            None => self.get(thread, field::PC),
        };
        put(out, pc);
        put(out, self.trail.get(base.at(frame::RESULT)));
        put(out, self.trail.get(base.at(frame::ALLOCAS)));
        let awaited = inner.and_then(|_| self.awaited_at(pc));
        for slot in self.needed[self.func_at(pc)].at(pc as u32) {
            if !is_awaited(awaited, *slot) {
                put(out, self.trail.get(base.at(frame::SLOTS + slot)));
            }
        }
    }

    /// Restores a thread from its component.
    pub fn decode_thread(&mut self, thread: ThreadId, mut bytes: &[u8]) {
        let status = bytes.first().map_or(Status::Absent, |status| Status::ALL[*status as usize]);
        self.set_status(thread, status);
        bytes = bytes.get(1..).unwrap_or_default();
        if status != Status::Ready {
            match status {
                Status::Finished | Status::Halted => self.decode_end(thread, bytes),
                Status::Spinning => {
                    let pc = take(&mut bytes);
                    self.set(thread, field::PC, pc);
                    self.decode_end(thread, bytes);
                }
                _ => {}
            }
            return;
        }
        for field in [field::OBJECTS, field::SPAWNED, field::PHASE] {
            let value = take(&mut bytes);
            self.set(thread, field, value);
        }
        self.decode_frames(thread, bytes);
    }

    fn decode_end(&mut self, thread: ThreadId, mut bytes: &[u8]) {
        let result = take(&mut bytes);
        self.set(thread, field::RESULT, result);
        for n in 0..self.end_slots(thread).len() {
            let word = self.end_word(thread, self.end_slots(thread)[n]);
            self.trail.set(word, take(&mut bytes));
        }
    }

    fn decode_frames(&mut self, thread: ThreadId, mut bytes: &[u8]) {
        let frames = take(&mut bytes);
        let (mut top, mut chunk) = (self.threads[thread.0 as usize].chunks[0].0.index(), 0);
        let (mut caller, mut return_pc) = (0, 0);
        for n in 0..frames {
            let pc = take(&mut bytes);
            let (result, allocas) = (take(&mut bytes), take(&mut bytes));
            let words = frame::SLOTS + self.code.funcs[self.func_at(pc)].slots;
            // The frame fitted when it was first made.
            let Ok((base, in_chunk)) = self.stack_room(thread, top, chunk, words) else { return };
            for (offset, value) in [
                (frame::RETURN_PC, return_pc),
                (frame::CALLER, caller),
                (frame::RESULT, result),
                (frame::TOP, top),
                (frame::CHUNK, chunk),
                (frame::ALLOCAS, allocas),
            ] {
                self.trail.set(base.at(offset), value);
            }
            self.decode_slots(base, pc, n + 1 == frames, &mut bytes);
            (caller, return_pc, top, chunk) = (base.index(), pc, base.at(words).index(), in_chunk);
        }
        self.set(thread, field::PC, return_pc);
        self.set(thread, field::FRAME, caller);
        self.set(thread, field::TOP, top);
        self.set(thread, field::CHUNK, chunk);
    }

    fn decode_slots(&mut self, base: Word, pc: u64, innermost: bool, bytes: &mut &[u8]) {
        let awaited = if innermost { None } else { self.awaited_at(pc) };
        for slot in self.needed[self.func_at(pc)].at(pc as u32) {
            if !is_awaited(awaited, *slot) {
                self.trail.set(base.at(frame::SLOTS + slot), take(bytes));
            }
        }
    }

    /// The destination of the result of the call that returns to `pc`.
    fn awaited_at(&self, pc: u64) -> Option<(Slot, Type)> {
        match self.code.op(Pc((pc as u32).saturating_sub(1))) {
            Op::Call { dst, .. } => dst,
            _ => None,
        }
    }

    /// The number of components of objects.
    pub fn group_count(&self) -> u32 {
        (self.memory.len() as u32).div_ceil(GROUP)
    }

    /// Appends the component of a group of objects; nothing if all of them are absent.
    pub fn encode_group(&self, group: u32, out: &mut Vec<u8>) {
        let start = out.len();
        let mut end = start;
        for object in group * GROUP..((group + 1) * GROUP).min(self.memory.len() as u32) {
            let object = ObjectId(object);
            let fixed = self.is_fixed(object);
            self.memory.encode(&self.trail, object, fixed, out);
            // Trailing absent objects are not distinguished from unknown ones.
            if fixed || self.memory.is_known(&self.trail, object) {
                end = out.len();
            }
        }
        out.truncate(end);
    }

    /// Restores the objects of a group from their component.
    pub fn decode_group(&mut self, group: u32, mut bytes: &[u8]) {
        for object in group * GROUP..((group + 1) * GROUP).min(self.memory.len() as u32) {
            let object = ObjectId(object);
            let fixed = self.is_fixed(object);
            self.memory.decode(&mut self.trail, object, fixed, &mut bytes);
        }
    }

    /// Whether an object exists from start to end: a global that all threads share.
    fn is_fixed(&self, object: ObjectId) -> bool {
        let global = GlobalId::from_u32(object.0);
        self.program.globals.get(global).is_some_and(|global| !global.thread_local)
    }
}

/// Whether a slot is the destination of the call that a frame waits for.
fn is_awaited(awaited: Option<(Slot, Type)>, slot: u32) -> bool {
    awaited.is_some_and(|(Slot(first), ty)| slot == first || is_wide(ty) && slot == first + 1)
}
