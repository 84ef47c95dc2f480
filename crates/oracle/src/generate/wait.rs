//! Generating semaphores and reader-writer locks: read-modify-writes with a condition to wait for.

use super::body::{Body, STORE_ORDERS, UPDATE_ORDERS};
use raddle_ir::{GlobalId, InstKind, IntPred, Operand, RmwOp, Type};

impl Body<'_, '_> {
    /// `rmw OP i32 WORD, 1 [when …]`; the old value is observed.
    fn count(&mut self, word: GlobalId, op: RmwOp, when: Option<(IntPred, Operand)>) {
        let (ty, value, addr) = (Type::I32, Operand::Int(1), Operand::from(word));
        let access = self.access(UPDATE_ORDERS);
        let dst = self.destination(ty);
        self.push(InstKind::Rmw { op, ty, dst, addr, value, access, when });
    }

    fn any_semaphore(&mut self) -> GlobalId {
        self.plan.pick(&self.plan.semaphores.clone())
    }

    fn down(&mut self, semaphore: GlobalId) {
        self.count(semaphore, RmwOp::Sub, Some((IntPred::Ugt, Operand::Int(0))));
    }

    pub(super) fn take(&mut self) {
        let semaphore = self.any_semaphore();
        self.down(semaphore);
    }

    pub(super) fn post(&mut self) {
        let semaphore = self.any_semaphore();
        self.count(semaphore, RmwOp::Add, None);
    }

    pub(super) fn semaphore_section(&mut self, limit: usize) -> usize {
        let semaphore = self.any_semaphore();
        self.down(semaphore);
        let inside = self.nested(limit);
        self.count(semaphore, RmwOp::Add, None);
        inside
    }

    fn any_rwlock(&mut self) -> GlobalId {
        self.plan.pick(&self.plan.rwlocks.clone())
    }

    /// Readers count up from 0.
    pub(super) fn read_section(&mut self, limit: usize) -> usize {
        let lock = self.any_rwlock();
        self.count(lock, RmwOp::Add, Some((IntPred::Sge, Operand::Int(0))));
        let inside = self.nested(limit);
        self.count(lock, RmwOp::Sub, None);
        inside
    }

    /// A writer sets the word to -1, and back to 0 by an update or by a store, which a buffer may delay.
    pub(super) fn write_section(&mut self, limit: usize) -> usize {
        let lock = self.any_rwlock();
        self.count(lock, RmwOp::Sub, Some((IntPred::Eq, Operand::Int(0))));
        let inside = self.nested(limit);
        if self.plan.rng.bool() {
            self.count(lock, RmwOp::Add, None);
            return inside;
        }
        let access = self.access(STORE_ORDERS);
        let (addr, value) = (Operand::from(lock), Operand::Int(0));
        self.push(InstKind::Store { ty: Type::I32, addr, value, access });
        inside
    }
}
