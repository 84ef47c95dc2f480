//! Promotion of local variables to registers.
//!
//! Without optimisation clang keeps every local variable in memory. A variable whose address is used only
//! for loads and stores of one size can be kept in a register instead, where it costs no memory access and
//! takes part in no interleaving. Loads and stores of other types of the same width become conversions, also
//! if pointers have types (clang 14) and the address is cast for them.
//!
//! Reading a variable that was not assigned is an error of the program. If [`assigned`] cannot
//! prove that a load comes after an assignment, the variable gets a companion register that tells
//! whether it was assigned ([`Slot::checked`]), and the load checks it. Loads that C allows, or whose value
//! does not matter, are not checked: loads whose value is not used, loads that only preserve bits of a
//! bit-field, and the load of the return slot of a function that falls off its end, which is an error only
//! if the caller uses the result.

mod assigned;
mod bits;

pub(crate) use bits::is_update;

use crate::link::Unit;
use crate::uses::Uses;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use raddle_ir::Type as Scalar;
use raddle_llvm::ast::{BlockId, Body, CastOp, Def, Inst, InstKind, LocalId, Value};
use rustc_hash::FxHashSet;

/// A variable that becomes a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SlotId(u32);
entity_impl!(SlotId, "slot");

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub alloca: LocalId,
    /// The `alloca`, and its casts to pointers of other types.
    addresses: Vec<LocalId>,
    pub ty: Scalar,
    /// Some load may come before all assignments.
    pub open: bool,
    /// Some load may come before all assignments, and that would be an error.
    pub checked: bool,
    /// The parameter with which the variable starts: the parameter is stored to it on entry and used nowhere
    /// else.
    pub param: Option<LocalId>,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub slots: PrimaryMap<SlotId, Slot>,
    of: SecondaryMap<LocalId, Option<SlotId>>,
    /// The loads that need a check, as indices into [`Body::insts`].
    unproven: FxHashSet<u32>,
    /// Stores of parameters that are no longer needed.
    dropped: FxHashSet<u32>,
}

impl Plan {
    /// `order` contains the reachable blocks, the entry first.
    pub(crate) fn new(unit: &Unit, body: &Body, uses: &Uses, order: &[BlockId]) -> Plan {
        let mut plan = Plan::default();
        for inst in body.insts(body.entry()) {
            if let Some(slot) = promotable(unit, body, uses, inst) {
                let addresses = slot.addresses.clone();
                let id = plan.slots.push(slot);
                addresses.into_iter().for_each(|address| plan.of[address] = Some(id));
            }
        }
        if !plan.slots.is_empty() {
            plan.take_parameters(unit, body, uses);
            assigned::prove(&mut plan, unit, body, uses, order);
        }
        plan
    }

    pub(crate) fn slot(&self, pointer: Value) -> Option<SlotId> {
        match pointer {
            Value::Local(local) => self.of[local],
            _ => None,
        }
    }

    pub(crate) fn must_check(&self, inst: u32) -> bool {
        self.unproven.contains(&inst)
    }

    pub(crate) fn is_dropped(&self, inst: u32) -> bool {
        self.dropped.contains(&inst)
    }

    /// Finds the variables that hold parameters: without optimisation, clang stores each parameter to a
    /// variable on entry.
    fn take_parameters(&mut self, unit: &Unit, body: &Body, uses: &Uses) {
        let entry = body.blocks[body.entry()].insts.clone();
        for index in entry {
            let InstKind::Store { value: Value::Local(value), ptr, .. } =
                body.insts[index as usize].kind
            else {
                continue;
            };
            let is_param = matches!(body.locals[value].def, Def::Param(_));
            let Some(slot) = self.slot(ptr).filter(|_| is_param && uses.only(value).is_some())
            else {
                continue;
            };
            let ty = unit.layout.scalar(body.locals[value].ty);
            let first = self.first_store(body, uses, slot) == Some(index);
            if ty == Some(self.slots[slot].ty) && first && self.slots[slot].param.is_none() {
                self.slots[slot].param = Some(value);
                self.dropped.insert(index);
            }
        }
    }

    /// The first access in the order of the text, if it is a store. The entry is the first block of the text.
    fn first_store(&self, body: &Body, uses: &Uses, slot: SlotId) -> Option<u32> {
        let addresses = self.slots[slot].addresses.iter();
        let accesses = addresses.flat_map(|address| uses.of(*address)).copied();
        let accesses = accesses.filter(|index| {
            let kind = &body.insts[*index as usize].kind;
            matches!(kind, InstKind::Load { .. } | InstKind::Store { .. })
        });
        accesses.min()
    }
}

/// An address and its casts to pointers of other types, directly or through other casts.
fn addresses(body: &Body, uses: &Uses, alloca: LocalId) -> Vec<LocalId> {
    let mut all = vec![alloca];
    let mut looked_at = 0;
    while let Some(address) = all.get(looked_at) {
        let users = uses.of(*address).iter().map(|index| &body.insts[*index as usize]);
        let casts = users.filter(|user| is_cast(&user.kind)).filter_map(|cast| cast.result);
        let casts: Vec<LocalId> = casts.collect();
        all.extend(casts);
        looked_at += 1;
    }
    all
}

fn is_cast(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Cast { op: CastOp::BitCast, .. })
}

/// The slot for an `alloca`, if it can become a register.
fn promotable(unit: &Unit, body: &Body, uses: &Uses, inst: &Inst) -> Option<Slot> {
    let InstKind::Alloca { ty, count: None, .. } = inst.kind else {
        return None;
    };
    let alloca = inst.result?;
    let size = unit.layout.extent(ty)?.size;
    let mut register = unit.layout.scalar(ty);
    let mut first = None;
    let addresses = addresses(body, uses, alloca);
    let pairs =
        addresses.iter().flat_map(|address| uses.of(*address).iter().map(move |n| (address, n)));
    for (address, index) in pairs {
        let user = &body.insts[*index as usize];
        let accessed = match &user.kind {
            InstKind::Load { .. } => unit.layout.scalar(body.locals[user.result?].ty)?,
            InstKind::Store { value, ptr, .. }
                if *ptr == Value::Local(*address) && *value != Value::Local(*address) =>
            {
                unit.layout.scalar(unit.module.value_type(body, *value)?)?
            }
            kind if is_cast(kind) || is_marker(unit, kind) => continue,
            _ => return None,
        };
        let first = *first.get_or_insert(accessed);
        if accessed.bits() != first.bits() || u64::from(accessed.bytes()) > size {
            return None;
        }
    }
    let first = first.or(register)?;
    // Use the variable's own type, unless all accesses use a type of another width (a union, a coercion).
    if register.is_none_or(|register| register.bits() != first.bits()) {
        register = Some(first);
    }
    let ty = register?;
    Some(Slot { alloca, addresses, ty, open: false, checked: false, param: None })
}

/// Whether the instruction is an intrinsic that only annotates a variable and has no effect.
pub(crate) fn is_marker(unit: &Unit, kind: &InstKind) -> bool {
    let InstKind::Call(call) = kind else {
        return false;
    };
    let global = unit.called(&call.callee);
    let name = global.and_then(|global| unit.module.symbol(global)).unwrap_or("");
    name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.")
}
