//! Variables, aliases and ifuncs.

use super::{Parser, Symbol};
use crate::ast::{ConstId, GlobalId, GlobalKind, GlobalValue, Linkage, TypeId, Variable};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;
use cranelift_entity::PrimaryMap;
use raddle_ir::Mnemonic;
use rustc_hash::FxHashMap;

/// The global values by name, either defined or only mentioned so far.
#[derive(Debug, Default)]
pub(super) struct Globals {
    ids: FxHashMap<Symbol, GlobalId>,
    pub(super) entries: PrimaryMap<GlobalId, Entry>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) symbol: Symbol,
    /// The place of the first mention.
    pub(super) mention: usize,
    pub(super) value: Option<GlobalValue>,
}

impl Globals {
    pub(super) fn mention(&mut self, symbol: Symbol, mention: usize) -> GlobalId {
        let entries = &mut self.entries;
        *self
            .ids
            .entry(symbol)
            .or_insert_with(|| entries.push(Entry { symbol, mention, value: None }))
    }
}

/// The part between the name of a global and its keyword.
#[derive(Default)]
struct Prelude {
    linkage: Option<Linkage>,
    thread_local: bool,
    addrspace: u32,
}

impl Parser<'_> {
    /// `@name = …`.
    pub(super) fn global_item(&mut self) -> Parse<()> {
        let Token::Global(name) = self.token else { return Err(self.unexpected("a name")) };
        let at = self.start;
        let id = self.global_mention(name)?;
        self.advance();
        self.expect(b'=')?;
        let prelude = self.prelude()?;
        let linkage = prelude.linkage.unwrap_or(Linkage::External);
        let kind = match self.token {
            Token::Word(word @ (b"global" | b"constant")) => {
                GlobalKind::Variable(self.variable(prelude, word == b"constant")?)
            }
            Token::Word(b"alias") => {
                let (ty, target) = self.indirect_symbol()?;
                GlobalKind::Alias { ty, target }
            }
            Token::Word(b"ifunc") => {
                let (ty, resolver) = self.indirect_symbol()?;
                GlobalKind::IFunc { ty, resolver }
            }
            _ => return Err(self.unexpected("'global', 'constant', 'alias' or 'ifunc'")),
        };
        self.define_global(id, linkage, kind, at)
    }

    pub(super) fn define_global(
        &mut self,
        id: GlobalId,
        linkage: Linkage,
        kind: GlobalKind,
        at: usize,
    ) -> Parse<()> {
        let symbol = self.globals.entries[id].symbol;
        if self.globals.entries[id].value.is_some() {
            return Err(self.fault_at(at, format!("@{} is defined twice", self.show(symbol))));
        }
        self.globals.entries[id].value = Some(GlobalValue { name: symbol.name(), linkage, kind });
        Ok(())
    }

    fn prelude(&mut self) -> Parse<Prelude> {
        let mut prelude = Prelude::default();
        loop {
            match self.token {
                Token::Word(b"global" | b"constant" | b"alias" | b"ifunc") => return Ok(prelude),
                Token::Word(b"thread_local") => {
                    prelude.thread_local = true;
                    self.skip_attr()?;
                }
                Token::Word(b"addrspace") => prelude.addrspace = self.addrspace()?,
                Token::Word(word) => {
                    prelude.linkage = Linkage::from_mnemonic(word).or(prelude.linkage);
                    self.skip_attr()?;
                }
                _ => return Err(self.unexpected("'global', 'constant', 'alias' or 'ifunc'")),
            }
        }
    }

    fn variable(&mut self, prelude: Prelude, constant: bool) -> Parse<Variable> {
        self.advance();
        let ty = self.memory_ty()?;
        // Only these linkages leave the value to another module.
        let init = match prelude.linkage {
            Some(Linkage::External | Linkage::ExternWeak) => None,
            _ => Some(self.constant(ty)?),
        };
        let (mut align, mut debug) = (None, None);
        while self.eat(b',') {
            match self.token {
                Token::Word(b"align") => align = Some(self.align_attr()?),
                Token::MetaName(b"dbg") => {
                    self.advance();
                    let node = self.metadata_ref()?;
                    debug = debug.or(self.debug.ask_node(node));
                }
                _ => self.global_property()?,
            }
        }
        while matches!(self.token, Token::AttrGroup | Token::Str(_)) {
            self.skip_attr()?;
        }
        let Prelude { thread_local, addrspace, .. } = prelude;
        Ok(Variable { ty, constant, thread_local, init, align, addrspace, debug })
    }

    /// `section "…"`, `comdat($…)`, `!dbg !1`, `no_sanitize_address` and similar properties.
    fn global_property(&mut self) -> Parse<()> {
        match self.token {
            Token::MetaName(_) => self.skip_attachment(),
            Token::Word(_) => {
                self.skip_attr()?;
                if let Token::Str(_) = self.token {
                    self.advance();
                }
                Ok(())
            }
            _ => Err(self.unexpected("a property of a global")),
        }
    }

    /// The type and the target of an alias or ifunc, starting at its keyword.
    fn indirect_symbol(&mut self) -> Parse<(TypeId, ConstId)> {
        self.advance();
        let ty = self.ty()?;
        self.expect(b',')?;
        // An expression stands there without its type.
        let target = match self.token {
            Token::Word(b"bitcast" | b"getelementptr" | b"addrspacecast" | b"inttoptr") => {
                self.constant(Types::PTR)?
            }
            _ => self.typed_constant()?.1,
        };
        while self.eat(b',') {
            self.global_property()?;
        }
        Ok((ty, target))
    }
}
