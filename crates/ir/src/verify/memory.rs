//! Rules about accesses: orders, exclusives, raw loads, constant objects.

use super::function::Body;
use super::{Rule, types};
use crate::inst::{Access, Operand};
use crate::program::Reg;
use crate::types::Type;
use crate::words::{Mnemonic, Order};

impl Body<'_, '_> {
    /// A store, conditional or not.
    pub(super) fn store(&mut self, ty: Type, addr: Operand, value: Operand, access: Access) {
        self.order(access.order, types::store_order(access.order), "store");
        self.not_raw(access);
        self.written(addr);
        self.checker.width(ty);
        self.operand(value, ty);
    }

    pub(super) fn load_order(&mut self, access: Access) {
        self.order(access.order, types::load_order(access.order), "load");
    }

    pub(super) fn failure_order(&mut self, success: Access, failure: Order) {
        let holds = types::failure_order(success.order, failure);
        self.checker.require(holds, Rule::FailureOrders, || {
            let (success, failure) = (success.order.mnemonic(), failure.mnemonic());
            format!("a compare-exchange that is {success} cannot fail as {failure}")
        });
        self.neither_exclusive_nor_raw(success);
    }

    pub(super) fn distinct(&mut self, dst: Reg, ok: Reg) {
        self.checker.require(dst != ok, Rule::DistinctResults, || {
            "both results of the compare-exchange go to one register".to_owned()
        });
    }

    /// An address that is written through.
    pub(super) fn written(&mut self, addr: Operand) {
        self.address(addr);
        let Operand::Global(id, _) = addr else {
            return;
        };
        if let Some(global) = self.checker.program.globals.get(id) {
            self.checker.require(!global.constant, Rule::ConstantObjects, || {
                format!("@{} is constant and is written", global.name)
            });
        }
    }

    fn order(&mut self, order: Order, holds: bool, what: &str) {
        self.checker.require(holds, Rule::Orders, || {
            format!("a {what} cannot have the order {}", order.mnemonic())
        });
    }

    pub(super) fn neither_exclusive_nor_raw(&mut self, access: Access) {
        self.not_exclusive(access);
        self.not_raw(access);
    }

    fn not_raw(&mut self, access: Access) {
        self.checker.require(!access.raw, Rule::RawAccesses, || {
            "a raw access that is not a load".to_owned()
        });
    }

    pub(super) fn not_exclusive(&mut self, access: Access) {
        self.checker.require(!access.exclusive, Rule::Exclusives, || {
            "an exclusive access that is neither a load nor a conditional store".to_owned()
        });
    }
}
