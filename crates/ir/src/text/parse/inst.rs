//! Instructions: results, opcode, operands. Memory instructions are in [`memory`](super::memory).

use super::super::cursor::PResult;
use super::super::lex::{Token, TokenKind};
use super::function::Body;
use super::operand;
use crate::inst::{Callee, InstKind, Operand, Pred};
use crate::program::Reg;
use crate::types::Type;
use crate::words::{BinOp, CastOp, FailKind, FenceKind, FloatPred, IntPred, Mnemonic, UnOp};

/// The registers before the `=`, and the opcode after it.
pub(super) struct Head<'s> {
    results: Vec<Reg>,
    opcode: Token,
    pub word: &'s str,
}

impl<'s> Body<'_, 's> {
    pub(super) fn instruction(&mut self) -> PResult<InstKind> {
        let head = self.head()?;
        if let Some(op) = BinOp::from_mnemonic(head.word) {
            return self.binary(&head, op);
        }
        if let Some(op) = UnOp::from_mnemonic(head.word) {
            let [dst] = self.results(&head)?;
            let ty = self.cursor.ty()?;
            return Ok(InstKind::Un { op, ty, dst, a: self.operand(ty)? });
        }
        if let Some(op) = CastOp::from_mnemonic(head.word) {
            return self.cast(&head, op);
        }
        match self.memory(&head)? {
            Some(kind) => Ok(kind),
            None => self.other(&head),
        }
    }

    fn head(&mut self) -> PResult<Head<'s>> {
        let mut results = Vec::new();
        if matches!(self.cursor.token().kind, TokenKind::Reg | TokenKind::RegNumber) {
            results.push(self.register()?);
            while self.cursor.eat(TokenKind::Comma) {
                results.push(self.register()?);
            }
            self.cursor.expect(TokenKind::Assign)?;
        } else if !self.cursor.at(TokenKind::Word) {
            return Err(self.cursor.unexpected_start("an instruction or a terminator"));
        }
        if !self.cursor.at(TokenKind::Word) {
            return Err(self.cursor.unexpected("an instruction"));
        }
        let word = self.cursor.word();
        Ok(Head { results, opcode: self.cursor.next(), word })
    }

    // ---- results ----

    pub(super) fn results<const N: usize>(&self, head: &Head<'_>) -> PResult<[Reg; N]> {
        <[Reg; N]>::try_from(head.results.as_slice()).map_err(|_| {
            let message = format!("`{}` with {} results", head.word, head.results.len());
            let expected = match N {
                0 => "no result",
                1 => "one result: %r = …",
                _ => "two results: %old, %ok = …",
            };
            Box::new(self.cursor.error(head.opcode, message).expected(expected))
        })
    }

    fn optional_result(&self, head: &Head<'_>) -> PResult<Option<Reg>> {
        match head.results.is_empty() {
            true => Ok(None),
            false => self.results(head).map(|[dst]| Some(dst)),
        }
    }

    // ---- operands ----

    /// `, OPERAND`
    pub(super) fn comma_operand(&mut self, ty: Type) -> PResult<Operand> {
        self.cursor.expect(TokenKind::Comma)?;
        self.operand(ty)
    }

    /// A word of an enumeration; `what` names the enumeration.
    pub(super) fn mnemonic<M: Mnemonic>(&mut self, what: &str) -> PResult<M> {
        let Some(value) = M::from_mnemonic(self.cursor.word()) else {
            let words: Vec<_> = M::TABLE.iter().map(|(word, _)| *word).collect();
            return Err(self.cursor.unexpected(format!("{what}: {}", words.join(", "))));
        };
        self.cursor.next();
        Ok(value)
    }

    fn binary(&mut self, head: &Head<'_>, op: BinOp) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let ty = self.cursor.ty()?;
        let a = self.operand(ty)?;
        Ok(InstKind::Bin { op, ty, dst, a, b: self.comma_operand(ty)? })
    }

    fn cast(&mut self, head: &Head<'_>, op: CastOp) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let from = self.cursor.ty()?;
        let a = self.operand(from)?;
        self.cursor.expect_word("to")?;
        Ok(InstKind::Cast { op, from, to: self.cursor.ty()?, dst, a })
    }

    fn compare(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let pred = match FloatPred::from_mnemonic(self.cursor.word()) {
            Some(pred) => {
                self.cursor.next();
                Pred::Float(pred)
            }
            None => Pred::Int(self.mnemonic::<IntPred>("a comparison (or one of floats)")?),
        };
        let ty = self.cursor.ty()?;
        let a = self.operand(ty)?;
        Ok(InstKind::Cmp { pred, ty, dst, a, b: self.comma_operand(ty)? })
    }

    fn select(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let ty = self.cursor.ty()?;
        let cond = self.operand(Type::BOOL)?;
        let a = self.comma_operand(ty)?;
        Ok(InstKind::Select { ty, dst, cond, a, b: self.comma_operand(ty)? })
    }

    /// `@f(…)` or `*OPERAND(…)`
    fn callee(&mut self) -> PResult<(Callee, Vec<Operand>)> {
        let (callee, types) = if self.cursor.eat(TokenKind::Star) {
            (Callee::Indirect(self.operand(Type::Ptr)?), None)
        } else if self.cursor.at(TokenKind::At) {
            let func = operand::function(self.cursor, self.symbols)?;
            (Callee::Direct(func), Some(&self.symbols.signatures[func]))
        } else {
            return Err(self.cursor.unexpected("a function such as @f, or a pointer such as *%p"));
        };
        self.cursor.expect(TokenKind::LParen)?;
        let mut args = Vec::new();
        while !self.cursor.eat(TokenKind::RParen) {
            let param = types.and_then(|s| s.params.get(args.len()).map(|reg| s.regs[*reg].ty));
            args.push(self.operand_or_untyped(param)?);
            if !self.cursor.at(TokenKind::RParen) && !self.cursor.eat(TokenKind::Comma) {
                return Err(self.cursor.unexpected("`,` or `)`"));
            }
        }
        Ok((callee, args))
    }

    // ---- the rest ----

    fn other(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        match head.word {
            "cmp" => self.compare(head),
            "select" => self.select(head),
            "move" => {
                let [dst] = self.results(head)?;
                let ty = self.cursor.ty()?;
                Ok(InstKind::Move { ty, dst, a: self.operand(ty)? })
            }
            "call" => {
                let dst = self.optional_result(head)?;
                let (callee, args) = self.callee()?;
                Ok(InstKind::Call { dst, callee, args })
            }
            "fence" => {
                let [] = self.results(head)?;
                Ok(InstKind::Fence { kind: self.mnemonic::<FenceKind>("a fence")? })
            }
            "spawn" => {
                let [dst] = self.results(head)?;
                let (callee, args) = self.callee()?;
                Ok(InstKind::Spawn { dst, callee, args })
            }
            "join" => {
                let dst = self.optional_result(head)?;
                Ok(InstKind::Join { dst, thread: self.operand(Type::I64)? })
            }
            "extent" => {
                let [dst] = self.results(head)?;
                Ok(InstKind::Extent { dst, addr: self.operand(Type::Ptr)? })
            }
            "self" => self.results(head).map(|[dst]| InstKind::SelfId { dst }),
            "exit" => {
                let [] = self.results(head)?;
                Ok(InstKind::ThreadExit { value: self.operand(Type::I64)? })
            }
            "yield" => self.results(head).map(|[]| InstKind::Yield),
            "halt" => self.results(head).map(|[]| InstKind::Halt),
            _ => self.lock_or_check(head),
        }
    }

    fn lock_or_check(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        match head.word {
            "trylock" => {
                let [dst] = self.results(head)?;
                Ok(InstKind::TryLock { dst, addr: self.operand(Type::Ptr)? })
            }
            "choose" => self.choose(head),
            "format" => self.format(head),
            "cond_wait" => {
                let woken = self.optional_result(head)?;
                let cond = self.operand(Type::Ptr)?;
                Ok(InstKind::CondWait { woken, cond, mutex: self.comma_operand(Type::Ptr)? })
            }
            "lock" | "unlock" | "cond_signal" | "cond_broadcast" => {
                let [] = self.results(head)?;
                self.lock(head)
            }
            "assume" | "assert" | "unsupported" | "fail" => {
                let [] = self.results(head)?;
                self.check(head)
            }
            word => {
                let message = format!("there is no instruction `{word}`");
                Err(Box::new(self.cursor.error(head.opcode, message).expected("an instruction")))
            }
        }
    }

    fn lock(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let addr = self.operand(Type::Ptr)?;
        Ok(match head.word {
            "lock" => InstKind::Lock { addr },
            "unlock" => InstKind::Unlock { addr },
            "cond_signal" => InstKind::CondSignal { cond: addr },
            _ => InstKind::CondBroadcast { cond: addr },
        })
    }

    fn check(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        if head.word == "unsupported" {
            return Ok(InstKind::Unsupported { what: self.cursor.string()? });
        }
        if head.word == "fail" {
            let kind: FailKind = self.mnemonic("a kind of failure")?;
            return Ok(InstKind::Fail { kind, message: self.cursor.string()? });
        }
        let cond = self.operand(Type::BOOL)?;
        if head.word == "assume" {
            return Ok(InstKind::Assume { cond });
        }
        let message = match self.cursor.eat(TokenKind::Comma) {
            true => self.cursor.string()?,
            false => String::new(),
        };
        Ok(InstKind::Assert { cond, message })
    }

    /// `FORMAT, ARGS [to BUFFER, SIZE]`
    fn format(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let format = self.operand(Type::Ptr)?;
        let args = self.comma_operand(Type::Ptr)?;
        let to = match self.cursor.eat_word("to") {
            true => Some((self.operand(Type::Ptr)?, self.comma_operand(Type::I64)?)),
            false => None,
        };
        Ok(InstKind::Format { dst, format, args, to })
    }

    fn choose(&mut self, head: &Head<'_>) -> PResult<InstKind> {
        let [dst] = self.results(head)?;
        let ty = self.cursor.ty()?;
        let lo = self.cursor.integer("an integer of 0 to 2^64-1")?;
        self.cursor.expect(TokenKind::Comma)?;
        let hi = self.cursor.integer("an integer of 0 to 2^64-1")?;
        let partial = self.cursor.eat_word("partial");
        Ok(InstKind::Choose { dst, ty, lo, hi, partial })
    }
}
