//! Accesses to memory.
//!
//! Atomic orderings become the IR's orders; accesses that are not atomic are plain, volatile or not.
//! Aggregates are loaded and stored leaf by leaf. Objects that only their own thread accesses are `private`.

use super::function::Lower;
use super::value::Operands;
use crate::layout::Leaf;
use crate::promote::{SlotId, is_update};
use raddle_ir::{
    Access, BinOp, FenceKind, InstKind as Out, Mnemonic, Operand, Order, RmwOp, Type as Scalar,
};
use raddle_llvm::ast::{self, Atomic, CmpXchg, Inst, InstKind, LocalId, Ordering, TypeId, Value};

/// The largest alignment in the IR.
const MAX_ALIGN: u64 = 1 << 28;

pub(super) fn order(ordering: Ordering) -> Order {
    match ordering {
        Ordering::Unordered | Ordering::Monotonic => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        Ordering::SeqCst => Order::SeqCst,
    }
}

fn access(atomic: Option<Atomic>, volatile: bool) -> Access {
    let order = atomic.map_or(Order::Plain, |atomic| order(atomic.order));
    Access { volatile, ..Access::new(order) }
}

impl Lower<'_, '_> {
    pub(super) fn alloca(
        &mut self,
        result: Option<LocalId>,
        ty: TypeId,
        count: Option<Value>,
        align: Option<u64>,
    ) {
        let Some(local) = result else {
            return;
        };
        if self.plan.slot(Value::Local(local)).is_some() {
            return;
        }
        let Some(extent) = self.unit.layout.extent(ty) else {
            return self.reject(result, "a local variable without a size");
        };
        let each = Operand::Int(extent.size.into());
        let size = match count {
            None => each,
            Some(count) => {
                let from = self.scalar_of(count).unwrap_or(Scalar::I64);
                let count = self.operand(count);
                let count = self.resize(from, Scalar::I64, count);
                self.bin(BinOp::Mul, Scalar::I64, count, each)
            }
        };
        let align = align.unwrap_or(extent.align.into());
        let align = align.max(1).next_power_of_two().min(MAX_ALIGN) as u32;
        let private = self.asm.source.escapes.is_private(self.symbol, local);
        let name = self.variable_name(local);
        let dst = self.out.reg(name.as_deref(), Scalar::Ptr);
        if let Some(ty) = self.variable_type(local) {
            self.out.holds(dst, ty);
        }
        self.push(Out::Alloca { dst, size, align, private });
        self.define(result, dst.into());
    }

    // ---- load, store ----

    pub(super) fn load(&mut self, index: u32, inst: &Inst) {
        let InstKind::Load { ptr, volatile, atomic, .. } = &inst.kind else {
            return;
        };
        let Some(result) = inst.result else {
            return;
        };
        if let Some(slot) = self.plan.slot(*ptr) {
            return self.load_slot(index, result, slot);
        }
        let Some(leaves) = self.leaves(self.body.locals[result].ty) else {
            return self.reject(inst.result, "a load of a type that no register holds");
        };
        let mut access = access(*atomic, *volatile);
        // Optimisers move loads before the condition that guards them, so reading an unassigned value is not an
        // error in optimised code.
        access.raw = self.unit.optimised && atomic.is_none()
            || is_update(self.unit, self.body, &self.uses, index);
        let base = self.operand(*ptr);
        let parts = self.load_leaves(&leaves, base, access);
        self.define_parts(inst.result, &parts);
    }

    /// The leaves of the object at `base`.
    pub(super) fn load_leaves(
        &mut self,
        leaves: &[Leaf],
        base: Operand,
        access: Access,
    ) -> Operands {
        let load = |leaf: &Leaf| {
            let addr = self.offset(base, leaf.offset as i64);
            self.load_scalar(leaf.ty, addr, access)
        };
        leaves.iter().map(load).collect()
    }

    pub(super) fn load_scalar(&mut self, ty: Scalar, addr: Operand, access: Access) -> Operand {
        let dst = self.fresh(ty);
        self.push(Out::Load { dst, ty, addr, access });
        dst.into()
    }

    fn load_slot(&mut self, index: u32, result: LocalId, slot: SlotId) {
        let (Some(regs), Some(ty)) = (self.slots[slot], self.result_scalar(result)) else {
            return self.define_undefined(Some(result));
        };
        if let (true, Some(set)) = (self.plan.must_check(index), regs.set) {
            let name = self.source_name(self.plan.slots[slot].alloca).to_owned();
            self.check_assigned(set, &name);
        }
        // Copy the value: the variable may change before the value is used.
        let dst = self.fresh(self.plan.slots[slot].ty);
        self.assign(self.plan.slots[slot].ty, dst, regs.value.into());
        let value = self.coerce(self.plan.slots[slot].ty, ty, dst.into());
        self.define(Some(result), value);
    }

    pub(super) fn store(&mut self, index: u32, inst: &Inst) {
        let InstKind::Store { value, ptr, volatile, atomic, .. } = &inst.kind else {
            return;
        };
        if let Some(slot) = self.plan.slot(*ptr) {
            return self.store_slot(index, *value, slot);
        }
        let Some(leaves) = self.type_of(*value).and_then(|ty| self.leaves(ty)) else {
            return self.unsupported("a store of a type that no register holds");
        };
        let access = access(*atomic, *volatile);
        let base = self.operand(*ptr);
        let base = self.writable(base);
        for (leaf, value) in leaves.iter().zip(self.parts(*value)) {
            let addr = self.offset(base, leaf.offset as i64);
            self.push(Out::Store { ty: leaf.ty, addr, value, access });
        }
    }

    fn store_slot(&mut self, index: u32, value: Value, slot: SlotId) {
        if self.plan.is_dropped(index) {
            return;
        }
        let (Some(regs), Some(from)) = (self.slots[slot], self.scalar_of(value)) else {
            return;
        };
        let to = self.plan.slots[slot].ty;
        let value = self.operand(value);
        let value = self.coerce(from, to, value);
        self.assign(to, regs.value, value);
        if let Some(set) = regs.set {
            self.assign(Scalar::BOOL, set, Operand::Int(1));
        }
    }

    // ---- atomic operations ----

    pub(super) fn fence(&mut self, atomic: Atomic) {
        let scope = atomic.scope.map(|id| self.unit.module.name(id));
        let kind = match atomic.order {
            _ if scope == Some("singlethread") => FenceKind::Compiler,
            Ordering::Acquire => FenceKind::CAcquire,
            Ordering::Release => FenceKind::CRelease,
            Ordering::AcqRel => FenceKind::CAcqRel,
            Ordering::SeqCst | Ordering::Unordered | Ordering::Monotonic => FenceKind::CSeqCst,
        };
        self.push(Out::Fence { kind });
    }

    pub(super) fn cmpxchg(&mut self, result: Option<LocalId>, exchange: &CmpXchg) {
        let Some(ty) = self.scalar_of(exchange.expected) else {
            return self.reject(result, "an exchange of more than 128 bits");
        };
        let addr = self.operand(exchange.ptr);
        let addr = self.writable(addr);
        let (expected, new) = (self.operand(exchange.expected), self.operand(exchange.new));
        let (dst, ok) = (self.fresh(ty), self.fresh(Scalar::BOOL));
        let success = access(Some(exchange.success), exchange.volatile);
        let (weak, failure) = (exchange.weak, order(exchange.failure));
        self.push(Out::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure });
        self.define_parts(result, &[dst.into(), ok.into()]);
    }

    pub(super) fn rmw(
        &mut self,
        result: Option<LocalId>,
        op: ast::RmwOp,
        ptr: Value,
        value: Value,
        volatile: bool,
        atomic: Atomic,
    ) {
        let ty = self.scalar_of(value);
        // Operations that the IR has are called the same there.
        let (Some(op), Some(ty)) =
            (RmwOp::from_mnemonic(op.mnemonic()), ty.filter(|ty| fits(op, *ty)))
        else {
            return self.reject(result, "an atomic operation of this kind");
        };
        let addr = self.operand(ptr);
        let addr = self.writable(addr);
        let value = self.operand(value);
        let dst = self.fresh(ty);
        let access = access(Some(atomic), volatile);
        self.push(Out::Rmw { op, ty, dst, addr, value, access, when: None });
        self.define(result, dst.into());
    }
}

/// Whether the IR supports the operation on that type.
fn fits(op: ast::RmwOp, ty: Scalar) -> bool {
    match op {
        ast::RmwOp::Xchg => true,
        ast::RmwOp::FAdd | ast::RmwOp::FSub => ty.is_float(),
        _ => ty.is_int(),
    }
}
