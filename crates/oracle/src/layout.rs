//! The addresses of globals and functions, and the bytes of an access.

use crate::outcome::Trouble;
use raddle_ir::{FuncId, Global, GlobalId, Operand, Program, Type};
use std::collections::BTreeMap;

/// The bytes of one access. Two accesses of a program cover the same bytes or are disjoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Extent {
    pub addr: u64,
    pub size: u32,
}

impl Extent {
    pub(crate) fn new(addr: u64, ty: Type) -> Extent {
        Extent { addr, size: ty.bytes() }
    }

    /// The four bytes of a mutex.
    pub(crate) fn mutex(addr: u64) -> Extent {
        Extent { addr, size: 4 }
    }

    fn end(self) -> u64 {
        self.addr.saturating_add(self.size.into())
    }
}

const GLOBAL_BASE: u64 = 0x1_0000;
const FUNC_BASE: u64 = 0x1000_0000_0000;
const FUNC_STEP: u64 = 16;
/// Unused bytes between two globals, so that the end of a global is not the address of the next one.
const GAP: u64 = 16;

#[derive(Debug)]
pub(crate) struct Layout {
    bases: BTreeMap<GlobalId, u64>,
    /// Globals by address: size, initial bytes (the rest is zero), whether they may be written.
    objects: BTreeMap<u64, (u64, Vec<u8>, bool)>,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Result<Layout, Trouble> {
        let mut bases = BTreeMap::new();
        let mut next = GLOBAL_BASE;
        for (id, global) in &program.globals {
            if global.thread_local {
                return Trouble::unsupported(format!("thread-local global {}", global.name));
            }
            let base = next.next_multiple_of(u64::from(global.align.max(1)));
            bases.insert(id, base);
            next = base + global.size + GAP;
        }
        let mut layout = Layout { bases, objects: BTreeMap::new() };
        for (id, global) in &program.globals {
            let object = (global.size, layout.initial_bytes(global), !global.constant);
            layout.objects.insert(layout.address(id), object);
        }
        Ok(layout)
    }

    fn initial_bytes(&self, global: &Global) -> Vec<u8> {
        let mut bytes = global.init.clone();
        for (offset, target) in &global.relocs {
            let at = *offset as usize;
            bytes.resize(bytes.len().max(at + 8), 0);
            let address = self.constant(*target, Type::Ptr).unwrap_or(0) as u64;
            bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn address(&self, global: GlobalId) -> u64 {
        self.bases[&global]
    }

    /// The value of an operand that is not a register.
    pub(crate) fn constant(&self, operand: Operand, ty: Type) -> Option<u128> {
        match operand {
            Operand::Reg(_) => None,
            Operand::Int(bits) => Some(bits & ty.mask()),
            Operand::Global(id, offset) => {
                Some(self.address(id).wrapping_add_signed(offset).into())
            }
            Operand::Func(id) => Some((FUNC_BASE + FUNC_STEP * u64::from(id.as_u32())).into()),
            Operand::Undef => Some(0),
        }
    }

    /// The function at an address, if one exists there.
    pub(crate) fn function(&self, program: &Program, address: u64) -> Option<FuncId> {
        let offset = address.checked_sub(FUNC_BASE)?;
        let index = u32::try_from(offset / FUNC_STEP).ok()?;
        let exists = offset % FUNC_STEP == 0 && (index as usize) < program.funcs.len();
        exists.then(|| FuncId::from_u32(index))
    }

    /// Whether the place lies inside a global that permits the access.
    pub(crate) fn allows(&self, place: Extent, write: bool) -> bool {
        let object = self.objects.range(..=place.addr).next_back();
        object.is_some_and(|(base, (size, _, writable))| {
            place.end() <= base + size && (*writable || !write)
        })
    }

    pub(crate) fn initial_byte(&self, addr: u64) -> u8 {
        let object = self.objects.range(..=addr).next_back();
        object.and_then(|(base, (_, init, _))| init.get((addr - base) as usize)).map_or(0, |b| *b)
    }

    pub(crate) fn initial(&self, place: Extent) -> u128 {
        let bytes = (0..u64::from(place.size)).rev();
        bytes.fold(0, |value, i| value << 8 | u128::from(self.initial_byte(place.addr + i)))
    }
}

/// The places that a program has accessed.
#[derive(Debug, Default)]
pub(crate) struct Places(BTreeMap<u64, u32>);

impl Places {
    /// Records an access; an error if it overlaps another one without covering the same bytes.
    pub(crate) fn note(&mut self, place: Extent) -> Result<(), Trouble> {
        let before = self.0.range(..place.end()).next_back();
        let clash = before.is_some_and(|(addr, size)| {
            let other = Extent { addr: *addr, size: *size };
            other != place && other.end() > place.addr
        });
        if clash {
            return Trouble::unsupported(format!("mixed-size accesses at {:#x}", place.addr));
        }
        self.0.insert(place.addr, place.size);
        Ok(())
    }
}
