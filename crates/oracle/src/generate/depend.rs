//! Generating false dependencies and exclusives, which matter only for weak models.

use super::body::{Body, LOAD_ORDERS, STORE_ORDERS};
use raddle_ir::{Access, BinOp, CastOp, InstKind, Operand, Type};

impl Body<'_, '_> {
    /// The value 0, computed so that it depends on a loaded value.
    fn depending_zero(&mut self, to: Type) -> Operand {
        let (reg, ty) = self.plan.pick(&self.values.clone());
        let zero = self.arith(BinOp::Xor, ty, reg.into(), reg.into());
        match zero {
            Operand::Reg(zero) => self.converted(zero, ty, to),
            other => other,
        }
    }

    /// An access whose address or stored value depends on a loaded value but is always the same.
    pub(super) fn depend(&mut self) {
        let (addr, ty) = self.scalar();
        if self.plan.rng.u32(..3) == 0 {
            let zero = self.depending_zero(ty);
            let value = self.plan.constant(ty);
            let value = self.arith(BinOp::Add, ty, zero, value);
            let access = self.access(STORE_ORDERS);
            self.push(InstKind::Store { ty, addr, value, access });
            return;
        }
        let offset = self.depending_zero(Type::I64);
        let pointer = self.register(Type::Ptr);
        let (op, from, to) = (CastOp::IntToPtr, Type::I64, Type::Ptr);
        self.push(InstKind::Cast { op, from, to, dst: pointer, a: offset });
        let addr = self.arith(BinOp::Add, Type::Ptr, addr, pointer.into());
        match self.plan.rng.bool() {
            true => self.load_from(addr, ty),
            false => self.store_to(addr, ty),
        }
    }

    /// A load that makes a reservation, possibly other statements, and a store that needs the reservation,
    /// mostly to the same place.
    pub(super) fn exclusive(&mut self, limit: usize) -> usize {
        let (addr, ty) = self.scalar();
        let access = Access { exclusive: true, ..self.access(LOAD_ORDERS) };
        let dst = self.destination(ty);
        self.push(InstKind::Load { dst, ty, addr, access });
        let inside = if self.plan.rng.u32(..3) == 0 { self.nested(limit.min(1)) } else { 0 };
        let elsewhere = self.plan.rng.u32(..6) == 0;
        let (addr, ty) = if elsewhere { self.scalar() } else { (addr, ty) };
        let value = self.operand(ty);
        let access = Access { exclusive: true, ..self.access(STORE_ORDERS) };
        let ok = self.register(Type::BOOL);
        self.push(InstKind::StoreCond { ty, ok, addr, value, access });
        let stored = self.destination(Type::I32);
        let (op, from, to) = (CastOp::ZExt, Type::BOOL, Type::I32);
        self.push(InstKind::Cast { op, from, to, dst: stored, a: ok.into() });
        inside
    }
}
