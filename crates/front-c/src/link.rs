//! Linking: the definition that a name refers to, if a program consists of several modules.
//!
//! Modules are not merged: they keep their own tables, and a reference is resolved to the module that
//! defines the name. The rules are those of a linker. Names with internal or private linkage are local to
//! their module. A strong definition takes precedence over a tentative one (`common`), a tentative one over
//! a weak one, a weak one over a copy that exists only for inlining. The largest of several tentative
//! definitions is used, the first of several weak ones. Two strong definitions are an error.

use crate::layout::Layout;
use raddle_ir::Diagnostic;
use raddle_llvm::ast::{Callee, ConstKind, GlobalId, GlobalKind, Linkage, Module, Value};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A module with its layout and the way it was compiled.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The input, as the user named it.
    pub file: String,
    pub module: Module,
    pub layout: Layout,
    /// The module was optimised: loads may come earlier than in the source, and their values may be unused.
    pub optimised: bool,
}

impl Unit {
    /// The global that is called by its name.
    pub(crate) fn called(&self, callee: &Callee) -> Option<GlobalId> {
        let Callee::Value(Value::Const(id)) = callee else {
            return None;
        };
        match self.module.constant(*id).kind {
            ConstKind::Global(global) => Some(global),
            _ => None,
        }
    }
}

/// A global value (function, variable or alias) of one of the units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Symbol {
    pub unit: usize,
    pub global: GlobalId,
}

/// The definitions that are visible to other modules, by name.
#[derive(Debug, Default)]
pub(crate) struct Links<'m> {
    visible: FxHashMap<&'m str, Symbol>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    InlineCopy,
    Weak,
    Tentative,
    Strong,
}

impl<'m> Links<'m> {
    pub(crate) fn new(units: &'m [Unit]) -> Result<Links<'m>, Diagnostic> {
        let mut links = Links::default();
        for (unit, Unit { module, .. }) in units.iter().enumerate() {
            for global in module.globals.keys() {
                links.add(units, Symbol { unit, global })?;
            }
        }
        Ok(links)
    }

    fn add(&mut self, units: &'m [Unit], symbol: Symbol) -> Result<(), Diagnostic> {
        let Some(strength) = strength(units, symbol) else {
            return Ok(());
        };
        let Some(name) = units[symbol.unit].module.symbol(symbol.global) else {
            return Ok(());
        };
        let mut place = match self.visible.entry(name) {
            Entry::Vacant(place) => {
                place.insert(symbol);
                return Ok(());
            }
            Entry::Occupied(place) => place,
        };
        let other = *place.get();
        let replaces = match (strength, strength_of(units, other)) {
            (Strength::Strong, Strength::Strong) => {
                return Err(twice(units, name, other, symbol));
            }
            (Strength::Tentative, Strength::Tentative) => size(units, symbol) > size(units, other),
            (new, old) => new > old,
        };
        if replaces {
            place.insert(symbol);
        }
        Ok(())
    }

    /// The definition that `symbol` refers to; `symbol` itself if no definition exists, or if it is local to
    /// its module.
    pub(crate) fn resolve(&self, units: &[Unit], symbol: Symbol) -> Symbol {
        let module = &units[symbol.unit].module;
        if is_local(module.global(symbol.global).linkage) {
            return symbol;
        }
        let name = module.symbol(symbol.global);
        name.and_then(|name| self.visible.get(name)).copied().unwrap_or(symbol)
    }

    pub(crate) fn find(&self, name: &str) -> Option<Symbol> {
        self.visible.get(name).copied()
    }
}

pub(crate) fn is_local(linkage: Linkage) -> bool {
    matches!(linkage, Linkage::Internal | Linkage::Private | Linkage::Appending)
}

/// `None`: the symbol is not a definition that other modules can see.
fn strength(units: &[Unit], symbol: Symbol) -> Option<Strength> {
    let global = units[symbol.unit].module.global(symbol.global);
    let defined = match &global.kind {
        GlobalKind::Variable(variable) => variable.init.is_some(),
        GlobalKind::Function(function) => function.body.is_some(),
        GlobalKind::Alias { .. } | GlobalKind::IFunc { .. } => true,
    };
    if !defined || is_local(global.linkage) {
        return None;
    }
    Some(match global.linkage {
        Linkage::AvailableExternally => Strength::InlineCopy,
        Linkage::LinkOnce
        | Linkage::LinkOnceOdr
        | Linkage::Weak
        | Linkage::WeakOdr
        | Linkage::ExternWeak => Strength::Weak,
        Linkage::Common => Strength::Tentative,
        _ => Strength::Strong,
    })
}

fn strength_of(units: &[Unit], symbol: Symbol) -> Strength {
    strength(units, symbol).unwrap_or(Strength::InlineCopy)
}

fn size(units: &[Unit], symbol: Symbol) -> u64 {
    let unit = &units[symbol.unit];
    match &unit.module.global(symbol.global).kind {
        GlobalKind::Variable(variable) => unit.layout.extent(variable.ty).map_or(0, |e| e.size),
        _ => 0,
    }
}

fn twice(units: &[Unit], name: &str, first: Symbol, second: Symbol) -> Diagnostic {
    let (first, second) = (&units[first.unit].file, &units[second.unit].file);
    Diagnostic::whole_file(second, format!("defines {name}, which {first} defines as well"))
        .expected("one definition of each name")
        .help("make one of them static, or leave one of the files out")
}
