//! The types of the source, from debug information to the table of the program.
//!
//! Only types of objects that the program has get there. Names are as people write them: qualifiers and
//! aliases are gone, a structure has the name of its alias if it has no other, and classes of the system's
//! headers around a single member (`std::atomic<int>`) are that member. Locks and the like are opaque.

use crate::link::Unit;
use cranelift_entity::SecondaryMap;
use raddle_ir::{Member, Number, Program, SourceId, SourceType};
use raddle_llvm::ast::{DebugId, DebugMember, DebugRecord, DebugType, Encoding, Module, NameId};
use rustc_hash::FxHashMap;

/// The deepest nesting that is followed; the verifier's limit leaves room for a few dimensions of arrays.
const MAX_DEPTH: u32 = 24;
const MAX_DIMENSIONS: usize = 8;
/// The largest scalar, in bytes.
const MAX_SCALAR: u64 = 16;

/// Types of the library that are told of as a whole.
const OPAQUE: [&str; 15] = [
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_barrier_t",
    "pthread_spinlock_t",
    "pthread_once_t",
    "pthread_attr_t",
    "pthread_mutexattr_t",
    "pthread_condattr_t",
    "pthread_rwlockattr_t",
    "pthread_barrierattr_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
];

/// The types that were translated.
#[derive(Debug)]
pub(crate) struct Sources {
    /// By unit: `None` if not translated yet, `Some(None)` if there is nothing to say about the type.
    done: Vec<SecondaryMap<DebugId, Option<Option<SourceId>>>>,
    interned: FxHashMap<SourceType, SourceId>,
    /// Complete classes by the names that they have in all modules; made when one is missing.
    complete: Option<FxHashMap<String, (usize, DebugId)>>,
}

/// One translation of a type.
struct Translation<'a, 'm> {
    sources: &'a mut Sources,
    program: &'a mut Program,
    units: &'m [Unit],
}

impl Sources {
    pub(crate) fn new(units: usize) -> Sources {
        let done = (0..units).map(|_| SecondaryMap::new()).collect();
        Sources { done, interned: FxHashMap::default(), complete: None }
    }

    /// The type in the program's table.
    pub(crate) fn translate(
        &mut self,
        program: &mut Program,
        units: &[Unit],
        unit: usize,
        ty: Option<DebugId>,
    ) -> Option<SourceId> {
        Translation { sources: self, program, units }.get(unit, ty?, MAX_DEPTH)
    }

    pub(crate) fn add(&mut self, program: &mut Program, ty: SourceType) -> SourceId {
        let types = &mut program.types;
        *self.interned.entry(ty).or_insert_with_key(|ty| types.push(ty.clone()))
    }
}

impl Translation<'_, '_> {
    fn get(&mut self, unit: usize, id: DebugId, depth: u32) -> Option<SourceId> {
        if let Some(known) = self.sources.done[unit][id] {
            return known;
        }
        let depth = depth.checked_sub(1)?;
        let made = self.make(unit, id, depth);
        self.sources.done[unit][id] = Some(made);
        made
    }

    fn add(&mut self, ty: SourceType) -> SourceId {
        self.sources.add(self.program, ty)
    }

    fn make(&mut self, unit: usize, id: DebugId, depth: u32) -> Option<SourceId> {
        let units = self.units;
        let module = &units[unit].module;
        match module.debug_types.get(id)? {
            DebugType::Unknown => None,
            DebugType::Pointer { .. } => Some(self.add(SourceType::Pointer)),
            DebugType::Basic { name, encoding, bits } => {
                let number = number(*encoding, name.map(|name| module.name(name)));
                let bytes = scalar_bytes(*bits)?;
                Some(self.add(SourceType::Scalar { number, bytes }))
            }
            DebugType::Alias { name, to } => {
                let inner = self.get(unit, (*to)?, depth)?;
                let Some(name) = name.map(|name| module.name(name)) else { return Some(inner) };
                Some(self.renamed(inner, name))
            }
            DebugType::Array { element, lengths } => {
                let mut ty = self.get(unit, (*element)?, depth)?;
                for length in lengths.iter().rev().take(MAX_DIMENSIONS) {
                    ty = self.add(SourceType::Array { element: ty, count: length.unwrap_or(0) });
                }
                Some(ty)
            }
            DebugType::Enum { name, signed, bits, values } => {
                let number = if *signed { Number::Signed } else { Number::Unsigned };
                let text = |name: NameId| module.name(name).to_owned();
                let values = values.iter().map(|(name, value)| (text(*name), *value)).collect();
                let (name, bytes) = (name.map_or(String::new(), text), scalar_bytes(*bits)?);
                Some(self.add(SourceType::Enum { name, number, bytes, values }))
            }
            DebugType::Record(record) if record.declaration => {
                let (unit, id) = self.definition(record, module)?;
                self.get(unit, id, depth)
            }
            DebugType::Record(record) => self.record(unit, record, depth),
        }
    }

    /// A type under the name of an alias.
    fn renamed(&mut self, inner: SourceId, name: &str) -> SourceId {
        if OPAQUE.contains(&name) {
            let bytes = self.program.source_bytes(inner);
            return self.add(SourceType::Opaque { name: name.to_owned(), bytes });
        }
        let mut ty = self.program.types[inner].clone();
        match &mut ty {
            SourceType::Record { name: own, .. } | SourceType::Enum { name: own, .. }
                if own.is_empty() =>
            {
                name.clone_into(own);
                self.add(ty)
            }
            _ => inner,
        }
    }

    fn record(&mut self, unit: usize, record: &DebugRecord, depth: u32) -> Option<SourceId> {
        let module = &self.units[unit].module;
        let mut members = Vec::new();
        for member in &record.members {
            members.extend(self.member(unit, member, depth));
        }
        let bytes = record.bits / 8;
        let of_system = record.file.is_some_and(|file| is_system_file(module.name(file)));
        if let (true, [only]) = (of_system, &members[..])
            && (only.offset, only.bits) == (0, None)
        {
            return Some(only.ty);
        }
        let name = record.name.map_or(String::new(), |name| module.name(name).to_owned());
        if OPAQUE.contains(&&*name) {
            return Some(self.add(SourceType::Opaque { name, bytes }));
        }
        Some(self.add(SourceType::Record { name, union: record.union, bytes, members }))
    }

    /// A member, unless it has no bytes.
    fn member(&mut self, unit: usize, member: &DebugMember, depth: u32) -> Option<Member> {
        let module = &self.units[unit].module;
        let name = member.name.map_or(String::new(), |name| module.name(name).to_owned());
        let ty = member.ty.and_then(|ty| self.get(unit, ty, depth));
        let bytes = member.bits.div_ceil(8);
        let ty = match ty {
            Some(ty) => ty,
            None if bytes == 0 => return None,
            None => self.add(SourceType::Opaque { name: String::new(), bytes }),
        };
        if let SourceType::Record { members, .. } = &self.program.types[ty]
            && members.is_empty()
        {
            return None;
        }
        let bits = member.bit_field.then_some((
            (member.offset % 8) as u32,
            u32::try_from(member.bits).unwrap_or(u32::MAX),
        ));
        Some(Member { name, offset: member.offset / 8, ty, bits })
    }

    /// The definition, in some module, of a class of which this module knows only the name.
    fn definition(&mut self, record: &DebugRecord, module: &Module) -> Option<(usize, DebugId)> {
        let units = self.units;
        let complete = self.sources.complete.get_or_insert_with(|| complete(units));
        complete.get(common_name(record, module)?).copied()
    }
}

fn complete(units: &[Unit]) -> FxHashMap<String, (usize, DebugId)> {
    let mut found = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        for (id, ty) in &unit.module.debug_types {
            if let DebugType::Record(record) = ty
                && !record.declaration
                && let Some(name) = common_name(record, &unit.module)
            {
                found.entry(name.to_owned()).or_insert((at, id));
            }
        }
    }
    found
}

/// The name under which other modules know a type.
fn common_name<'m>(record: &DebugRecord, module: &'m Module) -> Option<&'m str> {
    record.identifier.or(record.name).map(|name| module.name(name))
}

fn scalar_bytes(bits: u64) -> Option<u32> {
    let bytes = bits.div_ceil(8);
    (1..=MAX_SCALAR).contains(&bytes).then_some(bytes as u32)
}

/// Only `char` itself holds characters: `signed char` and `unsigned char` are small integers.
fn number(encoding: Encoding, name: Option<&str>) -> Number {
    match encoding {
        Encoding::SignedChar | Encoding::UnsignedChar if name == Some("char") => Number::Char,
        Encoding::Signed | Encoding::SignedChar => Number::Signed,
        Encoding::Unsigned | Encoding::UnsignedChar => Number::Unsigned,
        Encoding::Bool => Number::Bool,
        Encoding::Float => Number::Float,
    }
}

/// Drops the types that no object and no call has.
pub(crate) fn prune(program: &mut Program) {
    let mut kept = vec![false; program.types.len()];
    for id in used(program) {
        kept[id.as_u32() as usize] = true;
    }
    // A type refers only to types before it.
    for (id, ty) in program.types.iter().rev() {
        if kept[id.as_u32() as usize] {
            parts(ty).for_each(|part| kept[part.as_u32() as usize] = true);
        }
    }
    let mut new = SecondaryMap::with_default(SourceId::from_u32(0));
    for (id, ty) in std::mem::take(&mut program.types) {
        if kept[id.as_u32() as usize] {
            new[id] = program.types.push(renumbered(ty, &new));
        }
    }
    let renumber = |id: &mut SourceId| *id = new[*id];
    program.globals.values_mut().filter_map(|global| global.ty.as_mut()).for_each(renumber);
    let regs = program.funcs.values_mut().flat_map(|func| func.regs.values_mut());
    regs.filter_map(|reg| reg.object.as_mut()).for_each(renumber);
    program.allocations.iter_mut().for_each(|(_, ty)| renumber(ty));
}

/// The types of objects and allocations.
fn used(program: &Program) -> Vec<SourceId> {
    let globals = program.globals.values().filter_map(|global| global.ty);
    let regs = program.funcs.values().flat_map(|func| func.regs.values());
    let objects = globals.chain(regs.filter_map(|reg| reg.object));
    objects.chain(program.allocations.iter().map(|(_, ty)| *ty)).collect()
}

fn parts(ty: &SourceType) -> impl Iterator<Item = SourceId> {
    let (element, members) = match ty {
        SourceType::Array { element, .. } => (Some(*element), &[][..]),
        SourceType::Record { members, .. } => (None, &members[..]),
        _ => (None, &[][..]),
    };
    element.into_iter().chain(members.iter().map(|member| member.ty))
}

fn renumbered(mut ty: SourceType, new: &SecondaryMap<SourceId, SourceId>) -> SourceType {
    match &mut ty {
        SourceType::Array { element, .. } => *element = new[*element],
        SourceType::Record { members, .. } => {
            members.iter_mut().for_each(|member| member.ty = new[member.ty]);
        }
        _ => {}
    }
    ty
}

/// Whether a file belongs to the compiler or the system, such as the headers of C++ with inline functions.
pub(crate) fn is_system_file(name: &str) -> bool {
    let folders = ["/usr/include/", "/usr/lib/", "/usr/bin/../", "/usr/local/include/"];
    folders.iter().any(|folder| name.starts_with(folder))
        || ["/include/c++/", "/lib/clang/"].iter().any(|part| name.contains(part))
}
