//! Functions: signature, registers, blocks, terminators.

use super::super::cursor::{Cursor, PResult};
use super::super::lex::{Token, TokenKind};
use super::outline::{Names, Signature, Symbols, check_number};
use super::position::{Positioned, Positions, position};
use super::{Parser, operand};
use crate::inst::{Inst, Operand, Terminator, TerminatorKind};
use crate::program::{Block, BlockId, FuncId, Function, LocId, Reg};
use crate::types::Type;
use cranelift_entity::{EntityRef, PrimaryMap};
use std::borrow::Cow;

const TERMINATORS: &str = "jump, br, switch, ret or unreachable";

impl Parser<'_, '_> {
    pub(super) fn function(&mut self) -> PResult<()> {
        let start = self.cursor.token().start as usize;
        let library = self.cursor.eat_word("library");
        self.cursor.expect_word("func")?;
        let (token, name) = self.cursor.at_name("a name such as @f")?;
        let id = self.program.funcs.next_key();
        self.declared_once(token, self.symbols.funcs.get(&name) == Some(&id), "function")?;
        let mut signature = Signature::default();
        signature.header(&mut self.cursor)?;
        self.positions.in_library(library);
        let written = position(&mut self.cursor, self.symbols, start)?;
        let loc = self.positions.note(Positioned::Function(id), written);
        let mut blocks = PrimaryMap::new();
        if self.cursor.eat(TokenKind::LBrace) {
            signature.registers(&mut self.cursor)?;
            blocks = Body {
                labels: labels(&self.cursor)?,
                cursor: &mut self.cursor,
                symbols: self.symbols,
                signature: &signature,
                positions: &mut self.positions,
                func: id,
            }
            .blocks()?;
        }
        let Signature { params, ret, regs, .. } = signature;
        self.program.funcs.push(Function {
            name: name.into_owned(),
            params,
            ret,
            regs,
            blocks,
            loc,
            library,
        });
        Ok(())
    }
}

/// The labels of a body, in order; `None` for a block without a name.
struct Labels<'s> {
    count: usize,
    names: Names<'s, BlockId>,
}

/// Collects the labels from the cursor to the end of the body.
fn labels<'s>(cursor: &Cursor<'s>) -> PResult<Labels<'s>> {
    let mut cursor = cursor.clone();
    let mut labels = Labels { count: 0, names: Names::new() };
    let mut depth = 0u32;
    let mut after_bang = false;
    loop {
        let token = cursor.token();
        match token.kind {
            TokenKind::End => return Ok(labels),
            TokenKind::RBrace if depth == 0 => return Ok(labels),
            TokenKind::RBrace => depth -= 1,
            TokenKind::LBrace => depth += 1,
            // An inline position also contains a string and a colon.
            _ if depth == 0 && !after_bang && at_label(&cursor) => labels.add(&cursor, token)?,
            _ => {}
        }
        after_bang = token.kind == TokenKind::Bang;
        cursor.next();
    }
}

fn at_label(cursor: &Cursor<'_>) -> bool {
    let label =
        matches!(cursor.token().kind, TokenKind::Word | TokenKind::Quoted | TokenKind::BlockNumber);
    label && cursor.peek(1).kind == TokenKind::Colon
}

impl<'s> Labels<'s> {
    fn add(&mut self, cursor: &Cursor<'s>, token: Token) -> PResult<()> {
        let id = BlockId::new(self.count);
        self.count += 1;
        if token.kind == TokenKind::BlockNumber {
            return check_number(cursor, token, id.index(), "block");
        }
        if self.names.insert(cursor.decode_name(token)?, id).is_some() {
            let message = format!("the label {} is defined twice", cursor.excerpt(token));
            return Err(Box::new(cursor.error(token, message).expected("a new label")));
        }
        Ok(())
    }
}

/// The state while the body of a function is read.
pub(super) struct Body<'a, 's> {
    pub cursor: &'a mut Cursor<'s>,
    pub symbols: &'a Symbols<'s>,
    pub signature: &'a Signature<'s>,
    positions: &'a mut Positions,
    labels: Labels<'s>,
    func: FuncId,
}

impl Body<'_, '_> {
    fn blocks(mut self) -> PResult<PrimaryMap<BlockId, Block>> {
        if self.cursor.at(TokenKind::RBrace) {
            let error = self.cursor.unexpected_start("a block");
            return Err(Box::new(error.help("leave the braces out to declare a function")));
        }
        let mut blocks = PrimaryMap::new();
        while !self.cursor.eat(TokenKind::RBrace) {
            let block = self.block(blocks.next_key())?;
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn block(&mut self, id: BlockId) -> PResult<Block> {
        if !at_label(self.cursor) {
            return Err(self.no_label(id));
        }
        let label = self.cursor.next();
        self.cursor.next();
        let name = match label.kind {
            TokenKind::BlockNumber => None,
            _ => Some(self.cursor.decode_name(label)?.into_owned()),
        };
        let mut insts = Vec::new();
        loop {
            let start = self.cursor.token().start as usize;
            if let Some(kind) = self.terminator(label)? {
                let loc = self.line_end(Positioned::Terminator(self.func, id), start)?;
                return Ok(Block { name, insts, term: Terminator { kind, loc } });
            }
            let kind = self.instruction()?;
            let loc = self.line_end(Positioned::Inst(self.func, id, insts.len()), start)?;
            insts.push(Inst { kind, loc });
        }
    }

    fn no_label(&self, id: BlockId) -> Box<crate::diag::Diagnostic> {
        let error = self.cursor.unexpected_start("a label such as `entry:`");
        Box::new(error.help(match id.index() {
            0 if self.cursor.at_word("reg") => "reg lines are `reg %name: TYPE`",
            0 => "a body starts with a label",
            _ => "a block ends with its terminator; what follows it needs a label",
        }))
    }

    fn line_end(&mut self, place: Positioned, start: usize) -> PResult<LocId> {
        let written = position(self.cursor, self.symbols, start)?;
        self.cursor.expect_line_end()?;
        Ok(self.positions.note(place, written))
    }

    fn terminator(&mut self, label: Token) -> PResult<Option<TerminatorKind>> {
        if at_label(self.cursor) || self.cursor.at(TokenKind::RBrace) {
            let message = format!("the block {} has no terminator", self.cursor.excerpt(label));
            return Err(Box::new(self.cursor.error(label, message).expected(TERMINATORS)));
        }
        let kind = match self.cursor.word() {
            "jump" => {
                self.cursor.next();
                TerminatorKind::Jump(self.target()?)
            }
            "br" => self.branch()?,
            "switch" => self.switch()?,
            "ret" => self.ret()?,
            "unreachable" => {
                self.cursor.next();
                TerminatorKind::Unreachable
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn branch(&mut self) -> PResult<TerminatorKind> {
        self.cursor.next();
        let cond = self.operand(Type::BOOL)?;
        self.cursor.expect(TokenKind::Comma)?;
        let then = self.target()?;
        self.cursor.expect(TokenKind::Comma)?;
        Ok(TerminatorKind::Branch { cond, then, els: self.target()? })
    }

    fn switch(&mut self) -> PResult<TerminatorKind> {
        self.cursor.next();
        let ty = self.cursor.ty()?;
        let value = self.operand(ty)?;
        self.cursor.expect(TokenKind::LBrace)?;
        let mut cases = Vec::new();
        while !self.cursor.eat(TokenKind::RBrace) {
            let case = self.cursor.bits(ty)?;
            self.cursor.expect(TokenKind::Colon)?;
            cases.push((case, self.target()?));
            if !self.cursor.at(TokenKind::RBrace) {
                self.cursor.expect(TokenKind::Comma)?;
            }
        }
        self.cursor.expect_word("default")?;
        Ok(TerminatorKind::Switch { ty, value, cases, default: self.target()? })
    }

    fn ret(&mut self) -> PResult<TerminatorKind> {
        self.cursor.next();
        let next = self.cursor.token();
        let bare = next.starts_line || matches!(next.kind, TokenKind::Bang | TokenKind::RBrace);
        if bare {
            return Ok(TerminatorKind::Return(None));
        }
        let Some(ty) = self.signature.ret else {
            let error = self.cursor.error(next, "a value is returned where none is declared");
            let help = "declare the type of the result: func @f(…) -> TYPE";
            return Err(Box::new(error.expected("the end of the line").help(help)));
        };
        Ok(TerminatorKind::Return(Some(self.operand(ty)?)))
    }

    /// A block, by label or number.
    fn target(&mut self) -> PResult<BlockId> {
        let token = self.cursor.token();
        let found = if token.kind == TokenKind::BlockNumber {
            let number = self.cursor.text(token)[1..].parse().ok();
            number.filter(|n| *n < self.labels.count).map(BlockId::new)
        } else if matches!(token.kind, TokenKind::Word | TokenKind::Quoted) {
            self.labels.names.get(&self.cursor.decode_name(token)?).copied()
        } else {
            return Err(self.cursor.unexpected("a label"));
        };
        self.cursor.next();
        found.ok_or_else(|| {
            let message = format!("there is no block {}", self.cursor.excerpt(token));
            Box::new(self.cursor.error(token, message).expected("a label of this function"))
        })
    }

    // ---- shared by instructions and terminators ----

    pub(super) fn operand(&mut self, ty: Type) -> PResult<Operand> {
        self.operand_or_untyped(Some(ty))
    }

    pub(super) fn operand_or_untyped(&mut self, ty: Option<Type>) -> PResult<Operand> {
        match self.cursor.token().kind {
            TokenKind::Reg | TokenKind::RegNumber => Ok(Operand::Reg(self.register()?)),
            _ => {
                let what: Cow<'static, str> = match ty {
                    Some(ty) => format!("an operand of type {ty}").into(),
                    None => "an operand".into(),
                };
                operand::constant(self.cursor, self.symbols, ty, &what)
            }
        }
    }

    pub(super) fn register(&mut self) -> PResult<Reg> {
        let token = self.cursor.token();
        if !matches!(token.kind, TokenKind::Reg | TokenKind::RegNumber) {
            return Err(self.cursor.unexpected("a register such as %r"));
        }
        let reg = self.signature.resolve(self.cursor, token)?;
        self.cursor.next();
        Ok(reg)
    }
}
