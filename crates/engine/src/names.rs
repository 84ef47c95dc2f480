//! Names instead of addresses, the same in the stories of every engine.
//!
//! A global is called by its name, an array's element by its index, the copy of a thread-local global also by
//! its thread; an object of a frame by its register and function; an object of the heap by its thread and
//! number, which mean the same in every execution. `+8` is an offset.

use crate::elements::Elements;
use crate::story::{Bytes, Datum, Other};
use raddle_ir::{GlobalId, Program};
use raddle_machine::layout::{self, ObjectId};
use raddle_machine::{Allocation, Machine, ThreadId};
use rustc_hash::FxHashMap;

/// The threads and objects of an execution, as an engine knows them.
pub trait Cast {
    fn program(&self) -> &Program;

    fn thread_name(&self, thread: ThreadId) -> &str;

    /// The thread and the global whose copy an object is, if it is the copy of a thread-local global.
    fn thread_local_of(&self, object: ObjectId) -> Option<(ThreadId, GlobalId)>;

    /// A thread by number and name.
    fn other(&self, thread: ThreadId) -> Other {
        Other { number: thread.0, name: self.thread_name(thread).to_owned() }
    }
}

impl Cast for Machine<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn thread_name(&self, thread: ThreadId) -> &str {
        Machine::thread_name(self, thread)
    }

    fn thread_local_of(&self, object: ObjectId) -> Option<(ThreadId, GlobalId)> {
        Machine::thread_local_of(self, object)
    }
}

/// The names of the objects that threads have made so far.
#[derive(Clone, Debug)]
pub struct Names {
    elements: Elements,
    objects: FxHashMap<ObjectId, String>,
    /// How many of the heap each thread has made.
    heap: FxHashMap<ThreadId, u32>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let (objects, heap) = (FxHashMap::default(), FxHashMap::default());
        Names { elements: Elements::of(program), objects, heap }
    }

    /// Gives a new object its name.
    pub fn made(&mut self, cast: &impl Cast, thread: ThreadId, made: &Allocation) {
        let name = if made.heap {
            let count = self.heap.entry(thread).or_default();
            *count += 1;
            format!("heap object {count} of {}", cast.thread_name(thread))
        } else {
            let func = &cast.program().funcs[made.func];
            let local = made.reg.and_then(|reg| func.regs.get(reg)?.name.as_deref());
            format!("{}'s {}", func.name, local.unwrap_or("local object"))
        };
        self.objects.insert(made.object, name);
    }

    /// Bytes by address, named.
    pub fn bytes(&self, cast: &impl Cast, addr: u64, bytes: u32) -> Bytes {
        Bytes { addr, bytes, name: self.name(cast, addr) }
    }

    /// How the program calls an address.
    pub fn name(&self, cast: &impl Cast, addr: u64) -> String {
        let known = self.known(cast, addr);
        known.unwrap_or_else(|| if addr == 0 { "null".to_owned() } else { format!("{addr:#x}") })
    }

    fn known(&self, cast: &impl Cast, addr: u64) -> Option<String> {
        let (object, offset) = layout::split_address(addr)?;
        if let Some(element) = self.elements.name(cast.program(), object, offset) {
            return Some(element);
        }
        let name = match self.objects.get(&object) {
            Some(name) => name.clone(),
            None => global(cast, object)?,
        };
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// A value as people write it: a signed number while it is small, the name of the object that it points
    /// to, or else a bit pattern.
    pub fn datum(&self, cast: &impl Cast, bits: u128, bytes: u32) -> Datum {
        match (bytes == 8).then(|| self.pointee(cast, bits as u64)).flatten() {
            Some(shown) => Datum { bits, shown },
            None => Datum::number(bits, bytes),
        }
    }

    fn pointee(&self, cast: &impl Cast, addr: u64) -> Option<String> {
        let funcs = &cast.program().funcs;
        if let Some(func) = layout::function_at(addr, funcs.len()) {
            return Some(format!("&{}", funcs[func].name));
        }
        self.known(cast, addr).map(|name| format!("&{name}"))
    }
}

/// A global, or a thread's copy of one.
fn global(cast: &impl Cast, object: ObjectId) -> Option<String> {
    let globals = &cast.program().globals;
    if let Some(global) = globals.get(GlobalId::from_u32(object.0)) {
        return Some(global.name.clone());
    }
    let (thread, global) = cast.thread_local_of(object)?;
    Some(format!("{} of {}", globals[global].name, cast.thread_name(thread)))
}
