//! The locals and blocks of the function that is being parsed.
//!
//! Values and blocks share one name space, and unnamed ones share one sequence of numbers:
//! parameters, blocks and results that are not void take the next number where they are defined.
//! Newer versions may skip numbers, but numbers never decrease.

use super::{Parser, Symbol};
use crate::ast::{Block, BlockId, Body, Def, Local, LocalId, TypeId};
use crate::fault::Parse;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// The place of the first mention; [`DEFINED`] after the definition.
type Mention = usize;
const DEFINED: Mention = usize::MAX;

#[derive(Clone, Copy, Debug)]
enum Slot {
    Local(LocalId),
    Block(BlockId),
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) body: Body,
    slots: FxHashMap<Symbol, Slot>,
    next_number: u32,
    locals: Vec<Mention>,
    blocks: Vec<Mention>,
    /// The symbol of each block, indexed by block id.
    pub(super) block_symbols: Vec<Symbol>,
}

impl Scope {
    /// Clears the scope for the next function, but keeps its memory.
    pub(super) fn clear(&mut self) {
        self.body = Body::default();
        self.slots.clear();
        self.next_number = 0;
        self.locals.clear();
        self.blocks.clear();
        self.block_symbols.clear();
    }

    fn new_local(&mut self, symbol: Symbol, ty: TypeId, mention: Mention) -> LocalId {
        let local = Local { name: symbol.name(), ty, def: Def::Param(0) };
        let id = self.body.locals.push(local);
        self.locals.push(mention);
        self.slots.insert(symbol, Slot::Local(id));
        id
    }

    fn new_block(&mut self, symbol: Symbol, mention: Mention) -> BlockId {
        let id = self.body.blocks.push(Block { name: symbol.name(), insts: 0..0 });
        self.blocks.push(mention);
        self.block_symbols.push(symbol);
        self.slots.insert(symbol, Slot::Block(id));
        id
    }
}

impl Parser<'_> {
    /// A use of a local at the current token.
    pub(super) fn mention_local(&mut self, symbol: Symbol, ty: TypeId) -> Parse<LocalId> {
        match self.scope.slots.get(&symbol) {
            Some(Slot::Local(id)) => {
                let id = *id;
                self.require_same(self.start, ty, self.scope.body.locals[id].ty)?;
                Ok(id)
            }
            Some(Slot::Block(_)) => Err(self.fault("a block where a value is needed")),
            None => Ok(self.scope.new_local(symbol, ty, self.start)),
        }
    }

    /// A use of a block at the current token.
    pub(super) fn mention_target(&mut self, symbol: Symbol) -> Parse<BlockId> {
        match self.scope.slots.get(&symbol) {
            Some(Slot::Block(id)) => Ok(*id),
            Some(Slot::Local(_)) => Err(self.fault("a value where a block is needed")),
            None => Ok(self.scope.new_block(symbol, self.start)),
        }
    }

    /// The symbol of a definition: the written name, or the next number.
    fn numbered(&mut self, symbol: Option<Symbol>, at: usize) -> Parse<Symbol> {
        let next = self.scope.next_number;
        let number = match symbol {
            Some(Symbol::Name(name)) => return Ok(Symbol::Name(name)),
            Some(Symbol::Number(number)) => number,
            None => next,
        };
        if number < next {
            let fault = self.fault_at(at, format!("number {number} out of order"));
            return Err(fault.expected(format!("{next} or more")));
        }
        let Some(after) = number.checked_add(1) else {
            return Err(self.fault_at(at, "a number that is too large"));
        };
        self.scope.next_number = after;
        Ok(Symbol::Number(number))
    }

    /// Defines a parameter or result.
    pub(super) fn define_local(
        &mut self,
        symbol: Option<Symbol>,
        ty: TypeId,
        def: Def,
        at: usize,
    ) -> Parse<LocalId> {
        let symbol = self.numbered(symbol, at)?;
        let id = match self.scope.slots.get(&symbol) {
            None => self.scope.new_local(symbol, ty, DEFINED),
            Some(Slot::Local(id)) if self.scope.locals[id.index()] != DEFINED => {
                let id = *id;
                self.require_same(at, ty, self.scope.body.locals[id].ty)?;
                self.scope.locals[id.index()] = DEFINED;
                id
            }
            Some(_) => return Err(self.defined_twice(symbol, at)),
        };
        self.scope.body.locals[id].def = def;
        Ok(id)
    }

    /// Defines a block; its instructions follow.
    pub(super) fn define_block(&mut self, symbol: Option<Symbol>, at: usize) -> Parse<BlockId> {
        let symbol = self.numbered(symbol, at)?;
        let id = match self.scope.slots.get(&symbol) {
            None => self.scope.new_block(symbol, DEFINED),
            Some(Slot::Block(id)) if self.scope.blocks[id.index()] != DEFINED => {
                let id = *id;
                self.scope.blocks[id.index()] = DEFINED;
                id
            }
            Some(_) => return Err(self.defined_twice(symbol, at)),
        };
        self.scope.body.layout.push(id);
        Ok(id)
    }

    fn defined_twice(&self, symbol: Symbol, at: usize) -> Box<crate::fault::Fault> {
        self.fault_at(at, format!("%{} is defined twice", self.show(symbol)))
    }

    /// Checks that everything that was mentioned is defined.
    pub(super) fn check_scope(&self) -> Parse<()> {
        let undefined = |mentions: &[Mention]| mentions.iter().find(|m| **m != DEFINED).copied();
        if let Some(at) = undefined(&self.scope.locals) {
            return Err(self.fault_at(at, "a value that the function does not define"));
        }
        if let Some(at) = undefined(&self.scope.blocks) {
            return Err(self.fault_at(at, "a block that the function does not have"));
        }
        Ok(())
    }
}
