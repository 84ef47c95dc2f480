//! Interning of names, types and constants.
//!
//! Scalar constants are shared; aggregates, strings and expressions are not, since the search for an
//! equal one costs as much as storing it again.

use crate::ast::{ConstId, ConstKind, Constant, NameId, Type, TypeId};
use cranelift_entity::{EntityRef, PrimaryMap};
use raddle_ir::diag::shown;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[derive(Debug, Default)]
pub(crate) struct Names<'t> {
    ids: FxHashMap<Cow<'t, [u8]>, NameId>,
    pub strings: PrimaryMap<NameId, Box<str>>,
}

impl<'t> Names<'t> {
    /// The name with these bytes; `None` if they are not UTF-8.
    pub(crate) fn intern(&mut self, bytes: Cow<'t, [u8]>) -> Option<NameId> {
        if let Some(id) = self.ids.get(&bytes) {
            return Some(*id);
        }
        let id = self.strings.push(std::str::from_utf8(&bytes).ok()?.into());
        self.ids.insert(bytes, id);
        Some(id)
    }

    /// The name with these bytes, such as that of a file; bytes that are not UTF-8 are spelled as in all messages.
    pub(crate) fn intern_shown(&mut self, bytes: Cow<'t, [u8]>) -> NameId {
        if let Some(id) = self.ids.get(&bytes) {
            return *id;
        }
        let id = self.strings.push(shown(Path::new(OsStr::from_bytes(&bytes))).into());
        self.ids.insert(bytes, id);
        id
    }
}

/// Types, and the ids of the types that the parser itself needs.
#[derive(Debug)]
pub(crate) struct Types {
    ids: FxHashMap<Type, TypeId>,
    pub types: PrimaryMap<TypeId, Type>,
}

impl Types {
    /// The index of a type in this list is its id.
    const COMMON: [Type; 8] = [
        Type::Void,
        Type::Ptr { addrspace: 0 },
        Type::Int(1),
        Type::Int(8),
        Type::Int(32),
        Type::Int(64),
        Type::Metadata,
        Type::Token,
    ];
    pub(crate) const VOID: TypeId = TypeId::at(0);
    pub(crate) const PTR: TypeId = TypeId::at(1);
    pub(crate) const I1: TypeId = TypeId::at(2);
    pub(crate) const I8: TypeId = TypeId::at(3);
    pub(crate) const I32: TypeId = TypeId::at(4);
    pub(crate) const I64: TypeId = TypeId::at(5);
    pub(crate) const METADATA: TypeId = TypeId::at(6);
    pub(crate) const TOKEN: TypeId = TypeId::at(7);

    pub(crate) fn new() -> Types {
        let mut types = Types { ids: FxHashMap::default(), types: PrimaryMap::new() };
        for ty in Types::COMMON {
            types.intern(ty);
        }
        types
    }

    pub(crate) fn pointer(&mut self, addrspace: u32) -> TypeId {
        if addrspace == 0 { Types::PTR } else { self.intern(Type::Ptr { addrspace }) }
    }

    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        *self.ids.entry(ty).or_insert_with_key(|ty| self.types.push(ty.clone()))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Constants {
    scalars: FxHashMap<(TypeId, u8, u128), ConstId>,
    pub constants: PrimaryMap<ConstId, Constant>,
}

impl Constants {
    pub(crate) fn add(&mut self, ty: TypeId, kind: ConstKind) -> ConstId {
        match scalar_key(&kind) {
            Some((tag, payload)) => *self
                .scalars
                .entry((ty, tag, payload))
                .or_insert_with(|| self.constants.push(Constant { ty, kind })),
            None => self.constants.push(Constant { ty, kind }),
        }
    }
}

/// The key that distinguishes a scalar from other constants of its type.
fn scalar_key(kind: &ConstKind) -> Option<(u8, u128)> {
    Some(match kind {
        ConstKind::Int(value) => (0, *value),
        ConstKind::WideInt(text) => (1, text.index() as u128),
        ConstKind::Float(bits) => (2, *bits),
        ConstKind::Null => (3, 0),
        ConstKind::Zero => (4, 0),
        ConstKind::Undef => (5, 0),
        ConstKind::Poison => (6, 0),
        ConstKind::NoneToken => (7, 0),
        ConstKind::Global(global) => (8, global.index() as u128),
        ConstKind::DsoLocalEquivalent(global) => (9, global.index() as u128),
        ConstKind::NoCfi(global) => (10, global.index() as u128),
        _ => return None,
    })
}
