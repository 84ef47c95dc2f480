//! Names instead of addresses.
//!
//! A global has its name, an element of an array also its index, and the copy of a thread-local global also
//! the name of its thread. An object of a frame is named by its register and function. An object of the heap
//! is named by its thread and its number, which are the same in every execution. `+8` is an offset.

use crate::system::System;
use raddle_engine::{Bytes, Datum, Elements};
use raddle_ir::{GlobalId, Program};
use raddle_machine::layout::{self, ObjectId};
use raddle_machine::{Allocation, Machine, Mark, PassedOp, ThreadId};
use rustc_hash::FxHashMap;

/// The names of the objects that threads have created so far.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    elements: Elements,
    objects: FxHashMap<ObjectId, String>,
    /// The number of heap objects that each thread has created.
    heap: FxHashMap<ThreadId, u32>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let (objects, heap) = (FxHashMap::default(), FxHashMap::default());
        Names { elements: Elements::of(program), objects, heap }
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
        let owner = machine.thread_name(thread);
        let name = if made.heap {
            let count = self.heap.entry(thread).or_default();
            *count += 1;
            format!("heap object {count} of {owner}")
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

    /// The name of an address.
    pub fn name(&self, machine: &Machine<'_>, addr: u64) -> String {
        let known = self.known(machine, addr);
        known.unwrap_or_else(|| if addr == 0 { "null".to_owned() } else { format!("{addr:#x}") })
    }

    fn known(&self, machine: &Machine<'_>, addr: u64) -> Option<String> {
        let (object, offset) = layout::split_address(addr)?;
        if let Some(element) = self.elements.name(machine.program, object, offset) {
            return Some(element);
        }
        let name = match self.objects.get(&object) {
            Some(name) => name.clone(),
            None => global(machine, object)?,
        };
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// A value as people write it: a small signed number, the name of the object that it points to, or a bit
    /// pattern.
    pub fn datum(&self, system: &System<'_>, bits: u128, bytes: u32) -> Datum {
        let machine = &system.machine;
        match (bytes == 8).then(|| self.pointee(machine, bits as u64)).flatten() {
            Some(shown) => Datum { bits, shown },
            None => Datum::number(bits, bytes),
        }
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
