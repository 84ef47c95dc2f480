//! Instructions that access memory, and the words that describe an access.

use super::super::cursor::{DEFAULT_ALIGN, PResult};
use super::super::lex::TokenKind;
use super::function::Body;
use super::inst::Head;
use crate::inst::{Access, InstKind};
use crate::types::Type;
use crate::words::{IntPred, Mnemonic, Order, RmwOp};

/// The words between a type and an address.
#[derive(Default)]
struct AccessWords {
    orders: Vec<Order>,
    volatile: bool,
    exclusive: bool,
    raw: bool,
}

impl AccessWords {
    fn access(&self) -> Access {
        let order = self.orders.first().copied().unwrap_or(Order::Plain);
        Access { order, volatile: self.volatile, exclusive: self.exclusive, raw: self.raw }
    }
}

impl Body<'_, '_> {
    /// Reads the instruction, if it is a memory instruction.
    pub(super) fn memory(&mut self, head: &Head<'_>) -> PResult<Option<InstKind>> {
        let kind = match head.word {
            "alloca" => {
                let [dst] = self.results(head)?;
                let size = self.operand(Type::I64)?;
                let align = self.cursor.align(DEFAULT_ALIGN)?;
                InstKind::Alloca { dst, size, align, private: self.cursor.eat_word("private") }
            }
            "malloc" => {
                let [dst] = self.results(head)?;
                let size = self.operand(Type::I64)?;
                let align = self.cursor.align(DEFAULT_ALIGN)?;
                InstKind::Malloc { dst, size, align, zeroed: self.cursor.eat_word("zeroed") }
            }
            "free" => {
                let [] = self.results(head)?;
                InstKind::Free { addr: self.operand(Type::Ptr)? }
            }
            "load" => {
                let [dst] = self.results(head)?;
                let (ty, access) = self.access()?;
                InstKind::Load { dst, ty, addr: self.operand(Type::Ptr)?, access }
            }
            "store" => {
                let [] = self.results(head)?;
                let (ty, access) = self.access()?;
                let addr = self.operand(Type::Ptr)?;
                InstKind::Store { ty, addr, value: self.comma_operand(ty)?, access }
            }
            "store_cond" => {
                let [ok] = self.results(head)?;
                let (ty, access) = self.access()?;
                let addr = self.operand(Type::Ptr)?;
                InstKind::StoreCond { ty, ok, addr, value: self.comma_operand(ty)?, access }
            }
            "rmw" => self.rmw(head)?,
            "cmpxchg" => self.cmpxchg(head)?,
            "await" => self.wait_for(head)?,
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn rmw(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let op: RmwOp = self.mnemonic("a read-modify-write operation")?;
        let (ty, access) = self.access()?;
        let addr = self.operand(Type::Ptr)?;
        let value = self.comma_operand(ty)?;
        let when = match self.cursor.eat_word("when") {
            true => Some((self.mnemonic::<IntPred>("a comparison")?, self.operand(ty)?)),
            false => None,
        };
        Ok(InstKind::Rmw { op, ty, dst, addr, value, access, when })
    }

    fn cmpxchg(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst, ok] = self.results(head)?;
        let weak = self.cursor.eat_word("weak");
        let ty = self.cursor.ty()?;
        let words = self.access_words(2)?;
        let success = words.access();
        let implied = success.order.implied_failure();
        let failure = words.orders.get(1).copied().unwrap_or(implied);
        let addr = self.operand(Type::Ptr)?;
        let expected = self.comma_operand(ty)?;
        let new = self.comma_operand(ty)?;
        Ok(InstKind::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure })
    }

    fn wait_for(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let pred: IntPred = self.mnemonic("a comparison")?;
        let (ty, access) = self.access()?;
        let addr = self.operand(Type::Ptr)?;
        Ok(InstKind::Await { dst, ty, pred, addr, value: self.comma_operand(ty)?, access })
    }

    /// `TYPE [volatile] [excl] [raw] [ORDER]`
    fn access(&mut self) -> PResult<(Type, Access)> {
        let ty = self.cursor.ty()?;
        Ok((ty, self.access_words(1)?.access()))
    }

    fn access_words(&mut self, max_orders: usize) -> PResult<AccessWords> {
        let mut words = AccessWords::default();
        while self.cursor.at(TokenKind::Word) {
            let word = self.cursor.word();
            let order = Order::from_mnemonic(word);
            let fresh = match (word, order) {
                ("volatile", _) => !std::mem::replace(&mut words.volatile, true),
                ("excl", _) => !std::mem::replace(&mut words.exclusive, true),
                ("raw", _) => !std::mem::replace(&mut words.raw, true),
                (_, Some(order)) => {
                    words.orders.push(order);
                    words.orders.len() <= max_orders
                }
                _ => break,
            };
            if !fresh {
                let message = format!("one `{word}` too many");
                let error = self.cursor.error(self.cursor.token(), message);
                return Err(Box::new(error.expected("an address")));
            }
            self.cursor.next();
        }
        Ok(words)
    }
}
