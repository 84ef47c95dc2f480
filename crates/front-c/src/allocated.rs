//! The types of the objects that calls allocate, from what is done with their results.
//!
//! An allocator returns `void *`; what its caller stores the address in says what the object is. `posix_memalign`
//! stores it itself, and for `new` of C++ the compiler notes the type. Everything here serves names, and the width of
//! the accesses of copies.

use crate::link::Unit;
use crate::uses::Uses;
use raddle_llvm::ast::{
    Body, Call, CastOp, ConstExpr, ConstId, ConstKind, DebugId, DebugType, GlobalId, GlobalKind,
    InstKind, LocalId, TypeId, Value,
};
use rustc_hash::FxHashMap;

/// The longest chain of instructions or types that is followed.
const MAX_STEPS: u32 = 16;

/// For the results of calls: the types of the objects that they may have allocated.
pub(crate) type Allocated = FxHashMap<LocalId, DebugId>;

/// A place in an object of a known type.
#[derive(Clone, Copy)]
struct TypedOffset {
    ty: DebugId,
    offset: u64,
}

pub(crate) fn allocated(unit: &Unit, body: &Body, uses: &Uses) -> Allocated {
    let mut found = Allocated::default();
    if unit.module.debug_types.is_empty() {
        return found;
    }
    let noted: FxHashMap<u32, DebugId> = body.allocated.iter().copied().collect();
    let declared = body.declared.iter().copied().collect();
    let search = Search { unit, body, uses, declared: &declared };
    for (index, inst) in body.insts.iter().enumerate() {
        let Some(result) = inst.result else { continue };
        let (InstKind::Call(call) | InstKind::Invoke { call, .. }) = &inst.kind else { continue };
        let noted = noted.get(&(index as u32)).copied().filter(|ty| search.is_known(*ty));
        let stored = || search.stored_as(result, MAX_STEPS).or_else(|| search.stored_by(call));
        found.extend(noted.or_else(stored).map(|ty| (result, ty)));
    }
    found
}

/// Whether an address is that of a character, by the type of the variable or pointer that it comes from.
pub(crate) fn is_of_character(
    unit: &Unit,
    body: &Body,
    uses: &Uses,
    declared: &FxHashMap<LocalId, DebugId>,
    address: Value,
) -> bool {
    let search = Search { unit, body, uses, declared };
    let part = search.place(address, MAX_STEPS).and_then(|place| search.part(place));
    matches!(part, Some(DebugType::Basic { bits: 8, .. }))
}

struct Search<'a> {
    unit: &'a Unit,
    body: &'a Body,
    uses: &'a Uses,
    declared: &'a FxHashMap<LocalId, DebugId>,
}

impl Search<'_> {
    fn is_known(&self, ty: DebugId) -> bool {
        self.plain(ty).is_some()
    }

    /// A type without its aliases and qualifiers.
    fn plain(&self, ty: DebugId) -> Option<(DebugId, &DebugType)> {
        let mut at = ty;
        for _ in 0..MAX_STEPS {
            match self.unit.module.debug_types.get(at)? {
                DebugType::Alias { to, .. } => at = (*to)?,
                DebugType::Unknown => return None,
                other => return Some((at, other)),
            }
        }
        None
    }

    /// The type that a pointer points to, according to the variable that it is stored to.
    fn stored_as(&self, pointer: LocalId, steps: u32) -> Option<DebugId> {
        let steps = steps.checked_sub(1)?;
        let users = self.uses.of(pointer).iter().map(|index| &self.body.insts[*index as usize]);
        users
            .filter_map(|user| match &user.kind {
                InstKind::Store { value: Value::Local(value), ptr, .. } if *value == pointer => {
                    let place = self.place(*ptr, steps)?;
                    self.pointee(place)
                }
                InstKind::Cast { op: CastOp::BitCast, .. } => self.stored_as(user.result?, steps),
                _ => None,
            })
            .next()
    }

    /// The type of the object that a call allocates and stores the address of: `posix_memalign` only.
    fn stored_by(&self, call: &Call) -> Option<DebugId> {
        let callee = self.unit.called(&call.callee)?;
        let to = call
            .args
            .first()
            .filter(|_| self.unit.module.symbol(callee) == Some("posix_memalign"))?;
        self.pointee(self.place(to.value, MAX_STEPS)?)
    }

    /// What the pointer at a place points to, if that has a type.
    fn pointee(&self, place: TypedOffset) -> Option<DebugId> {
        let DebugType::Pointer { to } = self.part(place)? else { return None };
        // The name of an alias is worth keeping.
        to.filter(|to| self.is_known(*to))
    }

    /// The innermost type at a place.
    fn part(&self, place: TypedOffset) -> Option<&DebugType> {
        let TypedOffset { mut ty, mut offset } = place;
        for _ in 0..MAX_STEPS {
            let (_, plain) = self.plain(ty)?;
            match plain {
                DebugType::Record(record) => {
                    let member = record.members.iter().find(|member| {
                        let start = member.offset / 8;
                        start <= offset && offset - start < member.bits.div_ceil(8).max(1)
                    })?;
                    (ty, offset) = (member.ty?, offset - member.offset / 8);
                }
                DebugType::Array { element, .. } => {
                    let size = self.bytes((*element)?, MAX_STEPS)?;
                    (ty, offset) = ((*element)?, offset.checked_rem(size)?);
                }
                other => return (offset == 0).then_some(other),
            }
        }
        None
    }

    fn bytes(&self, ty: DebugId, steps: u32) -> Option<u64> {
        let steps = steps.checked_sub(1)?;
        match self.plain(ty)?.1 {
            DebugType::Basic { bits, .. } | DebugType::Enum { bits, .. } => Some(bits.div_ceil(8)),
            DebugType::Pointer { .. } => Some(8),
            DebugType::Record(record) => Some(record.bits / 8),
            DebugType::Array { element, lengths } => {
                let each = self.bytes((*element)?, steps)?;
                lengths.iter().try_fold(each, |bytes, length| bytes.checked_mul((*length)?))
            }
            DebugType::Alias { .. } | DebugType::Unknown => None,
        }
    }

    /// The place that an address is of.
    fn place(&self, address: Value, steps: u32) -> Option<TypedOffset> {
        let steps = steps.checked_sub(1)?;
        let local = match address {
            Value::Local(local) => local,
            Value::Const(constant) => return self.fixed(constant, steps),
            Value::Metadata => return None,
        };
        if let Some(ty) = self.declared.get(&local) {
            return Some(TypedOffset { ty: *ty, offset: 0 });
        }
        match &self.body.definition(local)?.kind {
            InstKind::Cast { op: CastOp::BitCast, arg, .. } => self.place(*arg, steps),
            InstKind::Load { ptr, .. } => {
                let ty = self.pointee(self.place(*ptr, steps)?)?;
                Some(TypedOffset { ty, offset: 0 })
            }
            InstKind::Gep { source, base, indices, .. } => {
                let base = self.place(*base, steps)?;
                let indices = indices.iter().map(|index| match index {
                    Value::Const(constant) => self.number(*constant),
                    _ => 0,
                });
                self.within(base, *source, indices)
            }
            _ => None,
        }
    }

    /// The place of a constant address.
    fn fixed(&self, address: ConstId, steps: u32) -> Option<TypedOffset> {
        let steps = steps.checked_sub(1)?;
        let module = &self.unit.module;
        match &module.constant(address).kind {
            ConstKind::Global(global) => match &module.global(*global).kind {
                GlobalKind::Variable(variable) => {
                    Some(TypedOffset { ty: variable.debug?, offset: 0 })
                }
                _ => None,
            },
            ConstKind::Expr(expr) => match &**expr {
                ConstExpr::Cast { arg, .. } => self.fixed(*arg, steps),
                ConstExpr::Gep { source, base, indices, .. } => {
                    let base = self.fixed(*base, steps)?;
                    self.within(base, *source, indices.iter().map(|index| self.number(*index)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A part of a place. Elements of an array are alike, so an unknown index may be taken for 0.
    fn within(
        &self,
        base: TypedOffset,
        source: TypeId,
        indices: impl Iterator<Item = u64>,
    ) -> Option<TypedOffset> {
        let (unit, mut at, mut offset) = (self.unit, source, base.offset);
        for (n, index) in indices.enumerate() {
            let (part, by) = match n {
                0 => (at, unit.layout.extent(at)?.size.wrapping_mul(index)),
                _ => unit.layout.element(&unit.module, at, index)?,
            };
            (at, offset) = (part, offset.wrapping_add(by));
        }
        Some(TypedOffset { ty: base.ty, offset })
    }

    fn number(&self, constant: ConstId) -> u64 {
        match self.unit.module.constant(constant).kind {
            ConstKind::Int(bits) => bits as u64,
            _ => 0,
        }
    }
}

/// The function whose address a value is, or that the variable at an address was assigned.
pub(crate) fn function_given(
    unit: &Unit,
    body: &Body,
    uses: &Uses,
    given: Value,
) -> Option<GlobalId> {
    let local = match given {
        Value::Const(constant) => return function_in(unit, constant, MAX_STEPS),
        Value::Local(local) => local,
        Value::Metadata => return None,
    };
    let users = uses.of(local).iter().map(|index| &body.insts[*index as usize].kind);
    users
        .filter_map(|user| match user {
            InstKind::Store { value: Value::Const(stored), ptr: Value::Local(at), .. }
                if *at == local =>
            {
                function_in(unit, *stored, MAX_STEPS)
            }
            _ => None,
        })
        .next()
}

/// The function whose address a constant is or begins with.
fn function_in(unit: &Unit, constant: ConstId, steps: u32) -> Option<GlobalId> {
    let steps = steps.checked_sub(1)?;
    let module = &unit.module;
    match &module.constant(constant).kind {
        ConstKind::Global(global) => {
            matches!(module.global(*global).kind, GlobalKind::Function(_)).then_some(*global)
        }
        ConstKind::Aggregate(parts) => function_in(unit, *parts.first()?, steps),
        ConstKind::Expr(expr) => match &**expr {
            ConstExpr::Cast { arg, .. } => function_in(unit, *arg, steps),
            _ => None,
        },
        _ => None,
    }
}
