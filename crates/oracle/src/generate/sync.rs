//! Generating calls, threads, critical sections and condition variables.

use super::body::Body;
use raddle_ir::{Callee, FuncId, InstKind, Operand, Type};

impl Body<'_, '_> {
    fn free_mutex(&mut self) -> Option<raddle_ir::GlobalId> {
        let mut free = self.plan.mutexes.clone();
        free.retain(|mutex| !self.held.contains(mutex));
        (!free.is_empty()).then(|| self.plan.pick(&free))
    }

    pub(super) fn critical_section(&mut self, limit: usize) -> usize {
        let Some(mutex) = self.free_mutex() else { return 0 };
        let addr = Operand::from(mutex);
        self.push(InstKind::Lock { addr });
        self.held.push(mutex);
        let inside = self.nested(limit);
        self.held.pop();
        self.push(InstKind::Unlock { addr });
        inside
    }

    pub(super) fn try_section(&mut self, limit: usize) -> usize {
        let Some(mutex) = self.free_mutex() else { return 0 };
        let addr = Operand::from(mutex);
        let dst = self.register(Type::BOOL);
        self.loaded.push(dst);
        self.push(InstKind::TryLock { dst, addr });
        let (taken, join) = (self.new_block(), self.new_block());
        self.function.branch(dst, taken, join);
        self.function.switch_to(taken);
        self.held.push(mutex);
        let inside = self.nested(limit);
        self.held.pop();
        self.push(InstKind::Unlock { addr });
        self.function.jump(join);
        self.function.switch_to(join);
        inside
    }

    fn any_condition(&mut self) -> Operand {
        self.plan.pick(&self.plan.conditions.clone()).into()
    }

    pub(super) fn wait(&mut self) {
        let mutex = self.plan.pick(&self.held).into();
        let cond = self.any_condition();
        self.push(InstKind::CondWait { woken: None, cond, mutex });
    }

    pub(super) fn signal(&mut self) {
        let cond = self.any_condition();
        self.push(InstKind::CondSignal { cond });
    }

    pub(super) fn broadcast(&mut self) {
        let cond = self.any_condition();
        self.push(InstKind::CondBroadcast { cond });
    }

    /// A function of at least one statement; returns the number of its further statements.
    fn helper(&mut self, limit: usize) -> (FuncId, usize) {
        let more = self.plan.rng.usize(..=limit.min(1));
        (self.plan.helper(1 + more), more)
    }

    pub(super) fn call(&mut self, limit: usize) -> usize {
        let (func, inside) = self.helper(limit);
        let args = vec![self.operand(Type::I64)];
        let dst = Some(self.destination(Type::I64));
        self.push(InstKind::Call { dst, callee: Callee::Direct(func), args });
        inside
    }

    pub(super) fn spawn(&mut self, limit: usize) -> usize {
        let (func, inside) = self.helper(limit);
        let args = vec![self.operand(Type::I64)];
        let handle = self.register(Type::I64);
        self.push(InstKind::Spawn { dst: handle, callee: Callee::Direct(func), args });
        let between = self.nested(limit - inside);
        if self.plan.rng.u32(..4) > 0 {
            let dst = Some(self.destination(Type::I64));
            self.push(InstKind::Join { dst, thread: handle.into() });
        }
        inside + between
    }
}
