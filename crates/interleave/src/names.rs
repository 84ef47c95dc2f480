//! Names instead of addresses.
//!
//! A global is called by its name, an array's element by its index, the copy of a thread-local one also by its thread; an object of a
//! frame by its register and function; an object of the heap by its thread and number, which mean
//! the same in every execution. `+8` is an offset.

use crate::elements::elements;
use crate::system::System;
use raddle_engine::{Bytes, Datum};
use raddle_ir::{GlobalId, Program, Type};
use raddle_machine::layout::{self, ObjectId};
use raddle_machine::{Allocation, Machine, Mark, PassedOp, ThreadId};
use rustc_hash::FxHashMap;

/// Beyond this, a number is more likely a bit pattern than a count.
const SMALL: u128 = 1 << 31;

/// The names of the objects that threads have made so far.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Which globals are arrays, with the size of an element.
    arrays: FxHashMap<GlobalId, u64>,
    objects: FxHashMap<ObjectId, String>,
    /// How many of the heap each thread has made.
    heap: FxHashMap<ThreadId, u32>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let (objects, heap) = (FxHashMap::default(), FxHashMap::default());
        Names { arrays: elements(program), objects, heap }
    }

    /// The names of all objects of an execution.
    pub fn of(machine: &Machine<'_>) -> Names {
        let mut names = Names::new(machine.program);
        for passed in machine.passed(Mark::START) {
            if let PassedOp::Allocate(made) = &passed.op {
                names.made(machine, passed.thread, made);
            }
        }
        names
    }

    /// Gives a new object its name.
    pub fn made(&mut self, machine: &Machine<'_>, thread: ThreadId, made: &Allocation) {
        let who = machine.thread_name(thread);
        let name = if made.heap {
            let count = self.heap.entry(thread).or_default();
            *count += 1;
            format!("heap object {count} of {who}")
        } else {
            let func = &machine.program.funcs[made.func];
            let local = made.reg.and_then(|reg| func.regs.get(reg)?.name.as_deref());
            format!("{}'s {}", func.name, local.unwrap_or("local object"))
        };
        self.objects.insert(made.object, name);
    }

    /// Bytes by address, named.
    pub fn bytes(&self, system: &System<'_>, addr: u64, bytes: u32) -> Bytes {
        Bytes { addr, bytes, name: self.name(&system.machine, addr) }
    }

    /// How the program calls an address.
    pub fn name(&self, machine: &Machine<'_>, addr: u64) -> String {
        let known = self.known(machine, addr);
        known.unwrap_or_else(|| if addr == 0 { "null".to_owned() } else { format!("{addr:#x}") })
    }

    fn known(&self, machine: &Machine<'_>, addr: u64) -> Option<String> {
        let (object, offset) = layout::split_address(addr)?;
        if let Some(element) = self.element(machine.program, object, offset) {
            return Some(element);
        }
        let name = match self.objects.get(&object) {
            Some(name) => name.clone(),
            None => global(machine, object)?,
        };
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// `flag[1]`
    fn element(&self, program: &Program, object: ObjectId, offset: u32) -> Option<String> {
        let id = GlobalId::from_u32(object.0);
        let global = program.globals.get(id)?;
        let (size, offset) = (*self.arrays.get(&id)?, u64::from(offset));
        let inside = size > 0 && global.size > size && offset < global.size;
        let rest = offset.checked_rem(size).filter(|_| inside)?;
        let name = format!("{}[{}]", global.name, offset / size);
        Some(if rest == 0 { name } else { format!("{name}+{rest}") })
    }

    /// A value as people write it: a signed number while it is small, the name of what it points
    /// to, or else a bit pattern.
    pub fn datum(&self, system: &System<'_>, bits: u128, bytes: u32) -> Datum {
        let machine = &system.machine;
        let pointee = (bytes == 8).then(|| self.pointee(machine, bits as u64)).flatten();
        let shown = pointee.unwrap_or_else(|| number(bits, bytes));
        Datum { bits, shown }
    }

    fn pointee(&self, machine: &Machine<'_>, addr: u64) -> Option<String> {
        if let Some(func) = layout::function_at(addr, machine.program.funcs.len()) {
            return Some(format!("&{}", machine.program.funcs[func].name));
        }
        self.known(machine, addr).map(|name| format!("&{name}"))
    }
}

/// A global, or a thread's copy of one.
fn global(machine: &Machine<'_>, object: ObjectId) -> Option<String> {
    let globals = &machine.program.globals;
    if let Some(global) = globals.get(GlobalId::from_u32(object.0)) {
        return Some(global.name.clone());
    }
    let (thread, global) = machine.thread_local_of(object)?;
    Some(format!("{} of {}", globals[global].name, machine.thread_name(thread)))
}

fn number(bits: u128, bytes: u32) -> String {
    let width = Type::Int((bytes.clamp(1, 16) * 8) as u8).bits();
    let shift = 128 - width;
    let signed = ((bits << shift) as i128) >> shift;
    if signed.unsigned_abs() <= SMALL {
        return signed.to_string();
    }
    format!("{:#x}", bits << shift >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_signed_while_small() {
        assert_eq!(number(0xffff_ffff, 4), "-1");
        assert_eq!(number(0xff, 4), "255");
        assert_eq!(number(1 << 31, 4), "-2147483648");
        assert_eq!(number(1 << 40, 8), "0x10000000000");
        assert_eq!(number(u128::MAX, 16), "-1");
    }
}
