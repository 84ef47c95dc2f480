//! Private memory of a thread: accesses to it are not events.
//!
//! It holds values as registers do: values that wait can be stored and loaded, and dependencies pass through it.
//! A *cell* holds a value that was written as a whole; where an access does not fit the cells, values are
//! split into bytes and put together again.
//!
//! All memory is private while a thread is alone: in a program that begins with one thread, until that thread
//! starts another or fetches its first event. The values that it has written by then are the initial values
//! for all threads.

use super::objects::Initial;
use super::sets::DepsId;
use super::step::Next;
use super::value::{Expr, Val};
use super::{Threads, field};
use crate::table::{from_word, to_word};
use raddle_ir::{BinOp, CastOp, Type};
use raddle_machine::layout::{ObjectId, split_address};
use raddle_machine::{Fault, ThreadId, Trail, Word};
use rustc_hash::FxHashMap;

/// Offsets of a cell's words.
mod word {
    /// How many bytes; 0 if there is no cell.
    pub(super) const BYTES: u32 = 0;
    pub(super) const LOW: u32 = 1;
    pub(super) const HIGH: u32 = 2;
    pub(super) const NODE: u32 = 3;
    pub(super) const DEPS: u32 = 4;
    pub(super) const ALL: u32 = 5;
}

/// The widest cell.
const WIDEST: u32 = 16;

/// Whose memory an access is to.
pub(super) enum Home<T> {
    /// The thread's own: its address, or the value there.
    Private(T),
    Shared,
    /// That is not known yet.
    Unknown,
}

/// Cells by where they start.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    at: FxHashMap<(ObjectId, u32), Word>,
}

impl Cells {
    fn get(&self, trail: &Trail, object: ObjectId, offset: u32) -> Option<(u32, Val)> {
        let words = *self.at.get(&(object, offset))?;
        let bytes = trail.get(words.at(word::BYTES)) as u32;
        if bytes == 0 {
            return None;
        }
        let (low, high) = (trail.get(words.at(word::LOW)), trail.get(words.at(word::HIGH)));
        let node = from_word(trail.get(words.at(word::NODE)));
        let deps = DepsId(trail.get(words.at(word::DEPS)) as u32);
        Some((bytes, Val { bits: u128::from(high) << 64 | u128::from(low), node, deps }))
    }

    /// Whether some cell has one of these bytes.
    fn overlap(&self, trail: &Trail, object: ObjectId, offset: u32, bytes: u32) -> bool {
        let reaches = |start: u32| {
            self.get(trail, object, start).is_some_and(|(len, _)| start + len > offset)
        };
        (offset.saturating_sub(WIDEST - 1)..offset + bytes).any(reaches)
    }

    fn set(&mut self, trail: &mut Trail, object: ObjectId, offset: u32, bytes: u32, value: Val) {
        let words = *self.at.entry((object, offset)).or_insert_with(|| trail.reserve(word::ALL));
        trail.set(words.at(word::BYTES), bytes.into());
        trail.set(words.at(word::LOW), value.bits as u64);
        trail.set(words.at(word::HIGH), (value.bits >> 64) as u64);
        trail.set(words.at(word::NODE), to_word(value.node));
        trail.set(words.at(word::DEPS), value.deps.0.into());
    }

    fn remove(&self, trail: &mut Trail, object: ObjectId, offset: u32) {
        if let Some(words) = self.at.get(&(object, offset)) {
            trail.set(words.at(word::BYTES), 0);
        }
    }
}

impl Threads<'_> {
    /// Whether this thread is the only one so far and no event was fetched.
    pub(super) fn is_alone(&self, thread: ThreadId) -> bool {
        self.code.begins_alone
            && thread == ThreadId(0)
            && self.fetched(thread) == 0
            && self.get(thread, field::SPAWNED) == 0
    }

    /// Where an access goes.
    fn home(&self, thread: ThreadId, addr: Val) -> Home<u64> {
        let alone = self.is_alone(thread);
        if !self.code.has_private && !alone {
            return Home::Shared;
        }
        match self.value(addr) {
            Some(addr) if alone || self.is_private(thread, addr as u64) => {
                Home::Private(addr as u64)
            }
            Some(_) => Home::Shared,
            // Pointers to private objects are not in shared memory: one that waits is computed from
            // one that is known.
            None => {
                let is_private = |bits: u128| self.is_private(thread, bits as u64);
                match self.nodes.any_operand(addr, is_private) {
                    true => Home::Unknown,
                    false => Home::Shared,
                }
            }
        }
    }

    /// The value of a private object at an address, if the address is in one.
    pub(super) fn peek_private(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Val,
        raw: bool,
    ) -> Result<Home<Val>, Fault> {
        let at = match self.home(thread, addr) {
            Home::Private(at) => at,
            Home::Shared => return Ok(Home::Shared),
            Home::Unknown => return Ok(Home::Unknown),
        };
        let object = self.accessible(thread, self.fetched(thread), at, ty.bytes(), false)?;
        let offset = split_address(at).map_or(0, |(_, offset)| offset);
        let value = match self.cells.get(&self.trail, object, offset) {
            Some((bytes, value)) if bytes == ty.bytes() => value,
            _ => self.assemble(object, offset, ty, raw)?,
        };
        // The value depends on the loads that the address depends on.
        let deps = self.deps.union(value.deps, addr.deps);
        Ok(Home::Private(match value.node {
            None => Val { bits: value.bits & ty.mask(), node: None, deps },
            Some(_) => Val { deps, ..value },
        }))
    }

    pub(super) fn private_store(
        &mut self,
        thread: ThreadId,
        ty: Type,
        addr: Val,
        value: Val,
    ) -> Result<Option<Next>, Fault> {
        let at = match self.home(thread, addr) {
            Home::Private(at) => at,
            Home::Shared => return Ok(None),
            Home::Unknown => return Ok(Some(Next::Wait)),
        };
        let object = self.accessible(thread, self.fetched(thread), at, ty.bytes(), true)?;
        let offset = split_address(at).map_or(0, |(_, offset)| offset);
        let deps = self.deps.union(value.deps, addr.deps);
        let value = Val { deps, ..value };
        if self.code.may_spin {
            match self.overwritten(object, offset, ty)? {
                Some(old) => self.note_overwrite(thread, ty, old, value),
                None => self.note_change(thread),
            }
        }
        let cell = self.cells.get(&self.trail, object, offset);
        if cell.is_none_or(|(bytes, _)| bytes != ty.bytes()) {
            self.split_cells(object, offset, ty.bytes());
        }
        self.cells.set(&mut self.trail, object, offset, ty.bytes(), value);
        Ok(Some(Next::Go))
    }

    /// The value that a store to a private object replaces, if all of its bytes were written before.
    fn overwritten(
        &mut self,
        object: ObjectId,
        offset: u32,
        ty: Type,
    ) -> Result<Option<Val>, Fault> {
        let bytes = ty.bytes();
        if let Some((len, old)) = self.cells.get(&self.trail, object, offset)
            && len == bytes
        {
            return Ok(Some(old));
        }
        if !self.cells.overlap(&self.trail, object, offset, bytes) {
            return Ok(self.unwritten(object, offset, bytes).map(Val::known));
        }
        match (offset..offset + bytes).all(|at| self.byte_at(object, at).is_some()) {
            true => self.assemble(object, offset, ty, true).map(Some),
            false => Ok(None),
        }
    }

    /// Makes cells of single bytes of those that overlap a place, and removes them there.
    fn split_cells(&mut self, object: ObjectId, offset: u32, bytes: u32) {
        for start in offset.saturating_sub(WIDEST - 1)..offset + bytes {
            let Some((len, value)) = self.cells.get(&self.trail, object, start) else { continue };
            if start + len <= offset {
                continue;
            }
            self.cells.remove(&mut self.trail, object, start);
            for n in 0..len {
                if !(offset..offset + bytes).contains(&(start + n)) {
                    let byte = self.byte_of(value, n);
                    self.cells.set(&mut self.trail, object, start + n, 1, byte);
                }
            }
        }
    }

    fn byte_of(&mut self, value: Val, n: u32) -> Val {
        let shift = Val::known(u128::from(8 * n));
        let (wide, deps) = (Type::I128, value.deps);
        let shifted = Expr::Bin { op: BinOp::LShr, ty: wide, a: value, b: shift };
        let shifted = self.nodes.result(&mut self.trail, shifted, deps);
        let byte = Expr::Cast { op: CastOp::Trunc, from: wide, to: Type::I8, a: shifted };
        self.nodes.result(&mut self.trail, byte, deps)
    }

    /// Puts a value together from bytes.
    fn assemble(
        &mut self,
        object: ObjectId,
        offset: u32,
        ty: Type,
        raw: bool,
    ) -> Result<Val, Fault> {
        let mut sum = Val::known(0);
        let mut written = raw;
        for n in 0..ty.bytes() {
            let Some(byte) = self.byte_at(object, offset + n) else { continue };
            written = true;
            let deps = self.deps.union(sum.deps, byte.deps);
            let (op, wide) = (BinOp::Shl, Type::I128);
            let shift = Expr::Bin { op, ty: wide, a: byte, b: Val::known(u128::from(8 * n)) };
            let shifted = self.nodes.result(&mut self.trail, shift, deps);
            let or = Expr::Bin { op: BinOp::Or, ty: wide, a: sum, b: shifted };
            sum = self.nodes.result(&mut self.trail, or, deps);
        }
        if !written {
            return Err(Fault::never_written(ty.bytes()));
        }
        Ok(sum)
    }

    /// A byte of a private object; `None` if it was never written.
    fn byte_at(&mut self, object: ObjectId, at: u32) -> Option<Val> {
        for start in at.saturating_sub(WIDEST - 1)..=at {
            if let Some((len, value)) = self.cells.get(&self.trail, object, start)
                && start + len > at
            {
                return Some(self.byte_of(value, at - start));
            }
        }
        self.unwritten(object, at, 1).map(Val::known)
    }

    /// The value of some bytes before every event.
    pub(crate) fn initial_at(&self, addr: u64, bytes: u32) -> Option<u128> {
        let (object, offset) = split_address(addr)?;
        if self.cells.at.is_empty() {
            return self.unwritten(object, offset, bytes);
        }
        match self.cells.get(&self.trail, object, offset) {
            Some((len, value)) if len == bytes => {
                Some(value.bits & (u128::MAX >> (128 - 8 * bytes.clamp(1, WIDEST))))
            }
            // Byte by byte, each may be part of several cells: that is slow, and rarely needed.
            _ if !self.cells.overlap(&self.trail, object, offset, bytes) => {
                self.unwritten(object, offset, bytes)
            }
            _ => (0..bytes).fold(None, |sum, n| {
                let byte = self.initial_byte(object, offset + n);
                byte.map(|byte| sum.unwrap_or(0) | byte << (8 * n)).or(sum)
            }),
        }
    }

    fn initial_byte(&self, object: ObjectId, at: u32) -> Option<u128> {
        for start in at.saturating_sub(WIDEST - 1)..=at {
            if let Some((len, value)) = self.cells.get(&self.trail, object, start)
                && start + len > at
            {
                return Some(value.bits >> (8 * (at - start)) & 0xff);
            }
        }
        self.unwritten(object, at, 1)
    }

    /// The value of bytes that no thread has written.
    fn unwritten(&self, object: ObjectId, offset: u32, bytes: u32) -> Option<u128> {
        match self.initial_bytes(object) {
            Initial::Nothing => None,
            Initial::Zero => Some(0),
            Initial::Global(global) => Some(self.global_bytes(global, offset, bytes)),
        }
    }
}
