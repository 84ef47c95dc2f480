//! Names instead of addresses, the same in the stories of every engine.
//!
//! A global is called by its name, the copy of a thread-local global also by its thread; an object of a frame
//! by its function and variable; an object of the heap by its type. A number says which one it is, and means the
//! same in every execution: `node#2` is the second `node` that `main` made, `node#1.2` the second one of
//! `main.1`. Parts are called as in the source where types are known (`crate::parts`); `+8` is an offset.

use crate::elements::Elements;
use crate::parts::{self, Part};
use crate::shown::shown;
use crate::story::{Bytes, Cell, Datum, Other};
use raddle_ir::{CallSite, GlobalId, LocId, Program, SourceId, SourceType};
use raddle_machine::layout::{self, ObjectId};
use raddle_machine::{Allocation, Calls, Machine, ThreadId};
use rustc_hash::FxHashMap;

/// The threads and objects of an execution, as an engine knows them.
pub trait Cast {
    fn program(&self) -> &Program;

    fn thread_name(&self, thread: ThreadId) -> &str;

    /// The thread and the global whose copy an object is, if it is the copy of a thread-local global.
    fn thread_local_of(&self, object: ObjectId) -> Option<(ThreadId, GlobalId)>;

    /// The calls on the stack of a thread.
    fn calls(&self, thread: ThreadId) -> Calls;

    /// The number of bytes of an object.
    fn size_of(&self, object: ObjectId) -> u64;

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

    fn calls(&self, thread: ThreadId) -> Calls {
        Machine::calls(self, thread)
    }

    fn size_of(&self, object: ObjectId) -> u64 {
        self.memory.header(&self.trail, object).0.into()
    }
}

/// The names of the objects that threads have made so far.
#[derive(Clone, Debug)]
pub struct Names {
    elements: Elements,
    objects: FxHashMap<ObjectId, Named>,
    /// How many of each name each thread has made.
    counts: FxHashMap<(ThreadId, String), u32>,
}

/// An object of the heap or of a frame.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    ty: Option<SourceId>,
    /// It is an array of the type.
    array: bool,
}

/// The object at an address or nearest to it, with its name and type.
struct Found {
    named: Named,
    object: ObjectId,
    /// Negative before the object.
    offset: i64,
}

/// Where an object of the heap comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    pub name: String,
    pub object: ObjectId,
    pub thread: Other,
    pub loc: LocId,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let (objects, counts) = (FxHashMap::default(), FxHashMap::default());
        Names { elements: Elements::of(program), objects, counts }
    }

    /// Gives a new object its name. If it is an object of the heap with a type, returns where it comes from.
    pub fn made(
        &mut self,
        cast: &impl Cast,
        thread: ThreadId,
        made: &Allocation,
        calls: &Calls,
    ) -> Option<Origin> {
        let program = cast.program();
        let (named, loc) = if made.heap {
            let size = cast.size_of(made.object);
            self.of_heap(cast, thread, allocated(program, calls, size), size)
        } else {
            (self.of_frame(cast, thread, made), LocId::NONE)
        };
        let name = named.name.clone();
        self.objects.insert(made.object, named);
        (loc != LocId::NONE).then(|| {
            let thread = cast.other(thread);
            Origin { name, object: made.object, thread, loc }
        })
    }

    fn of_heap(
        &mut self,
        cast: &impl Cast,
        thread: ThreadId,
        allocated: Option<(SourceId, LocId)>,
        size: u64,
    ) -> (Named, LocId) {
        let Some((ty, loc)) = allocated else {
            let count = self.count(thread, String::new());
            let name = format!("heap object {count} of {}", cast.thread_name(thread));
            return (Named { name, ty: None, array: false }, LocId::NONE);
        };
        let program = cast.program();
        let kind = match &program.types[ty] {
            SourceType::Record { name, .. }
            | SourceType::Enum { name, .. }
            | SourceType::Opaque { name, .. }
                if !name.is_empty() =>
            {
                // The arguments of a template are too long for a name.
                name.split('<').next().unwrap_or(name).to_owned()
            }
            _ => "heap".to_owned(),
        };
        let count = self.count(thread, kind.clone());
        let name = format!("{kind}#{}", number(cast.thread_name(thread), count));
        let array = size > program.source_bytes(ty) && !is_open(program, ty);
        (Named { name, ty: Some(ty), array }, loc)
    }

    fn of_frame(&mut self, cast: &impl Cast, thread: ThreadId, made: &Allocation) -> Named {
        let func = &cast.program().funcs[made.func];
        let reg = made.reg.and_then(|reg| func.regs.get(reg));
        let local = reg.and_then(|reg| reg.name.as_deref()).unwrap_or("local object");
        let mut name = format!("{}'s {local}", func.name);
        // A function that is called again has another variable of the same name, and so has another thread.
        let count = self.count(thread, name.clone());
        let number = number(cast.thread_name(thread), count);
        if number != "1" {
            name = format!("{name}#{number}");
        }
        Named { name, ty: reg.and_then(|reg| reg.object), array: false }
    }

    /// How many objects of a name a thread has made, with this one.
    fn count(&mut self, thread: ThreadId, name: String) -> u32 {
        let count = self.counts.entry((thread, name)).or_default();
        *count += 1;
        *count
    }

    /// Bytes by address, named; 0 bytes for an unknown number.
    pub fn bytes(&self, cast: &impl Cast, addr: u64, bytes: u32) -> Bytes {
        let part = |found: &Found| self.part(cast, found, bytes);
        Bytes { addr, bytes, name: self.spelled(cast, addr, part) }
    }

    /// The bytes of a whole object.
    pub fn whole(&self, cast: &impl Cast, addr: u64, bytes: u32) -> Bytes {
        let part = |found: &Found| (String::new(), found.offset);
        Bytes { addr, bytes, name: self.spelled(cast, addr, part) }
    }

    /// How the program calls an address.
    pub fn name(&self, cast: &impl Cast, addr: u64) -> String {
        self.bytes(cast, addr, 0).name
    }

    /// A place with its value.
    pub fn cell(&self, cast: &impl Cast, addr: u64, bytes: u32, bits: u128) -> Cell {
        let (at, value) = (self.bytes(cast, addr, bytes), self.datum(cast, addr, bytes, bits));
        Cell { at, value }
    }

    /// A value of the bytes at an address as people write it. Without a type that is a signed number while it
    /// is small, the name of the object that it points to, or else a bit pattern.
    pub fn datum(&self, cast: &impl Cast, addr: u64, bytes: u32, bits: u128) -> Datum {
        let program = cast.program();
        let pointee = |addr| self.pointee(cast, addr);
        let found = self.find(cast, addr);
        let typed = found.as_ref().and_then(|found| Some((found, found.named.ty?)));
        let Some((found, ty)) = typed else {
            let shown = (bytes == 8).then(|| pointee(bits as u64)).flatten();
            return match shown {
                Some(shown) => Datum { bits, shown },
                None => Datum::number(bits, bytes),
            };
        };
        let (_, rest) = element(program, ty, found);
        let inside = u64::try_from(rest).ok();
        match inside.and_then(|rest| parts::part(program, ty, rest, bytes).value) {
            Some(value) => Datum { bits, shown: shown(program, &value, bits, bytes, pointee) },
            None => Datum::number(bits, bytes),
        }
    }

    fn pointee(&self, cast: &impl Cast, addr: u64) -> Option<String> {
        let program = cast.program();
        if let Some(func) = layout::function_at(addr, program.funcs.len()) {
            return Some(format!("&{}", program.funcs[func].name));
        }
        let found = self.find(cast, addr)?;
        let (path, rest) = match found.named.ty {
            Some(ty) => within(program, ty, &found, |rest| parts::pointed(program, ty, rest)),
            None => self.part(cast, &found, 0),
        };
        Some(format!("&{}", joined(&found.named.name, &path, rest)))
    }

    fn spelled(
        &self,
        cast: &impl Cast,
        addr: u64,
        part: impl Fn(&Found) -> (String, i64),
    ) -> String {
        match self.find(cast, addr) {
            Some(found) => {
                let (path, rest) = part(&found);
                joined(&found.named.name, &path, rest)
            }
            None if addr == 0 => "null".to_owned(),
            None => format!("{addr:#x}"),
        }
    }

    /// The part of an object that bytes are, and their distance from its start.
    fn part(&self, cast: &impl Cast, found: &Found, bytes: u32) -> (String, i64) {
        let program = cast.program();
        if let Some(ty) = found.named.ty {
            return within(program, ty, found, |rest| parts::part(program, ty, rest, bytes));
        }
        let global = GlobalId::from_u32(found.object.0);
        let offset = u64::try_from(found.offset).ok();
        let element = offset.and_then(|offset| self.elements.part(program, global, offset));
        element.map_or((String::new(), found.offset), |(path, rest)| (path, rest as i64))
    }

    fn find(&self, cast: &impl Cast, addr: u64) -> Option<Found> {
        let size = |object| self.named(cast, object).map(|_| cast.size_of(object));
        let (object, offset) = layout::nearest(addr, size)?;
        Some(Found { named: self.named(cast, object)?, object, offset })
    }

    /// The name and the type of an object that was made.
    fn named(&self, cast: &impl Cast, object: ObjectId) -> Option<Named> {
        if let Some(named) = self.objects.get(&object) {
            return Some(named.clone());
        }
        let globals = &cast.program().globals;
        if let Some(global) = globals.get(GlobalId::from_u32(object.0)) {
            return Some(Named { name: global.name.clone(), ty: global.ty, array: false });
        }
        let (thread, global) = cast.thread_local_of(object)?;
        let global = &globals[global];
        let name = format!("{} of {}", global.name, cast.thread_name(thread));
        Some(Named { name, ty: global.ty, array: false })
    }
}

fn joined(name: &str, path: &str, rest: i64) -> String {
    match rest {
        0 => format!("{name}{path}"),
        _ => format!("{name}{path}{rest:+}"),
    }
}

/// The element of an array on the heap, and the offset in it.
fn element(program: &Program, ty: SourceId, found: &Found) -> (String, i64) {
    let size = program.source_bytes(ty) as i64;
    if !found.named.array || size == 0 {
        return (String::new(), found.offset);
    }
    (format!("[{}]", found.offset.div_euclid(size)), found.offset.rem_euclid(size))
}

/// A part of an object of a known type, and the rest of the offset. Before the object there are no parts.
fn within<'p>(
    program: &'p Program,
    ty: SourceId,
    found: &Found,
    part: impl Fn(u64) -> Part<'p>,
) -> (String, i64) {
    let (index, rest) = element(program, ty, found);
    let Ok(inside) = u64::try_from(rest) else { return (index, rest) };
    let Part { path, rest, .. } = part(inside);
    (index + &path, rest as i64)
}

/// The type that a call on the stack allocates, and where that call is. A call that leads to the allocation of
/// something else is told by the size.
fn allocated(program: &Program, calls: &Calls, size: u64) -> Option<(SourceId, LocId)> {
    let typed = calls.iter().enumerate().find_map(|(n, frame)| {
        let site = CallSite { func: frame.func, at: frame.at };
        let ty = program.allocated(site)?;
        let at = calls[n..].iter().map(|frame| frame.at).find(|at| *at != LocId::NONE);
        Some((ty, at.unwrap_or(LocId::NONE)))
    });
    typed.filter(|(ty, _)| {
        let each = program.source_bytes(*ty);
        each > 0 && size >= each && (size.is_multiple_of(each) || is_open(program, *ty))
    })
}

/// Whether a structure ends with an array of unknown length.
fn is_open(program: &Program, ty: SourceId) -> bool {
    let SourceType::Record { members, union: false, .. } = &program.types[ty] else { return false };
    let last = members.last().map(|member| &program.types[member.ty]);
    matches!(last, Some(SourceType::Array { count: 0, .. }))
}

/// `2` for the second object of `main`, `1.2` for the second one of `main.1:work`.
fn number(thread: &str, count: u32) -> String {
    let place = thread.split(':').next().unwrap_or(thread);
    match place.strip_prefix("main.") {
        Some(below) => format!("{below}.{count}"),
        None if place == "main" => count.to_string(),
        None => format!("{place}.{count}"),
    }
}
