//! Checks and resolution at the end of a module.

use super::Parser;
use crate::ast::{
    BlockId, ConstExpr, ConstId, ConstKind, GlobalId, GlobalKind, MAX_NESTING, Module, Type, TypeId,
};
use crate::fault::Parse;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

impl Parser<'_> {
    pub(super) fn finish(&mut self) -> Parse<Module> {
        self.check_types()?;
        self.resolve_blocks()?;
        self.finish_globals()?;
        let (locs, files) = self.metadata.resolve()?;
        let debug_types = self.resolve_types();
        let mut module = std::mem::take(&mut self.module);
        module.debug_types = debug_types;
        module.names = std::mem::take(&mut self.names.strings);
        module.types = std::mem::take(&mut self.types.types);
        module.constants = std::mem::take(&mut self.constants.constants);
        (module.locs, module.files) = (locs, files);
        Ok(module)
    }

    /// Checks that named types are defined, and that no type contains itself or nests too deep.
    fn check_types(&self) -> Parse<()> {
        let mut nesting = SecondaryMap::new();
        // In the order of the text, so that the message is deterministic.
        let mut named_types: Vec<_> = self.named_types.iter().collect();
        named_types.sort_unstable_by_key(|(_, named)| named.mention);
        for (symbol, named) in named_types {
            if !named.defined {
                let name = self.show(*symbol);
                return Err(self.fault_at(named.mention, format!("type %{name} is not defined")));
            }
            if !self.nests_well(named.id, &mut nesting) {
                let message = format!(
                    "type %{} contains itself or nests deeper than {MAX_NESTING} levels",
                    self.show(*symbol)
                );
                return Err(self.fault_at(named.mention, message));
            }
        }
        // Unnamed types can contain named ones.
        match self.types.types.keys().find(|ty| !self.nests_well(*ty, &mut nesting)) {
            Some(_) => {
                let message = format!("a type nests deeper than {MAX_NESTING} levels");
                Err(self.fault_at(0, message))
            }
            None => Ok(()),
        }
    }

    /// Whether a type nests within the limit. A depth-first search with an explicit stack; `nesting` has the
    /// depth of finished types, and 0 for the others.
    fn nests_well(&self, root: TypeId, nesting: &mut SecondaryMap<TypeId, usize>) -> bool {
        let mut stack = vec![(root, 0usize, 1usize)];
        while let Some((ty, child, deepest)) = stack.pop() {
            if nesting[ty] > 0 {
                raise(&mut stack, nesting[ty]);
                continue;
            }
            match nth_part(&self.types.types[ty], child) {
                // A path longer than the limit is too deep, or a cycle.
                Some(_) if stack.len() == MAX_NESTING => return false,
                Some(part) => {
                    stack.push((ty, child + 1, deepest));
                    stack.push((part, 0, 1));
                }
                None if deepest > MAX_NESTING => return false,
                None => {
                    nesting[ty] = deepest;
                    raise(&mut stack, deepest);
                }
            }
        }
        true
    }

    /// Resolves the blocks whose addresses are taken.
    fn resolve_blocks(&mut self) -> Parse<()> {
        let mut mentions = std::mem::take(&mut self.block_mentions);
        mentions.sort_by_key(|mention| mention.function);
        let mut blocks = FxHashMap::default();
        let mut current: Option<GlobalId> = None;
        for mention in mentions {
            if current != Some(mention.function) {
                current = Some(mention.function);
                let symbols = self.block_symbols[mention.function].iter().copied();
                blocks = symbols.zip((0..).map(BlockId::from_u32)).collect();
            }
            let Some(&block) = blocks.get(&mention.block) else {
                return Err(self.fault_at(mention.at, "a block that the function does not have"));
            };
            let function = mention.function;
            self.constants.constants[mention.constant].kind =
                ConstKind::BlockAddress { function, block };
        }
        Ok(())
    }

    fn finish_globals(&mut self) -> Parse<()> {
        let entries = std::mem::take(&mut self.globals.entries);
        let mut globals = PrimaryMap::with_capacity(entries.len());
        for (_, entry) in entries {
            let Some(value) = entry.value else {
                let name = self.show(entry.symbol);
                return Err(self.fault_at(entry.mention, format!("@{name} is not defined")));
            };
            globals.push(value);
        }
        self.module.globals = globals;
        self.check_aliases()
    }

    /// Rejects an alias that leads only to other aliases, and so to itself.
    fn check_aliases(&self) -> Parse<()> {
        let globals = &self.module.globals;
        let target = |id: GlobalId| match globals[id].kind {
            GlobalKind::Alias { target, .. } => self.base_global(target),
            _ => None,
        };
        let Some(start) = endless(globals, target) else { return Ok(()) };
        let name = globals[start].name.map_or("", |name| &self.names.strings[name]);
        Err(self.fault_at(0, format!("@{name} is an alias of itself")))
    }

    /// The global from which an address is computed.
    fn base_global(&self, mut address: ConstId) -> Option<GlobalId> {
        loop {
            address = match &self.constants.constants[address].kind {
                ConstKind::Global(global) => return Some(*global),
                ConstKind::Expr(expr) => match **expr {
                    ConstExpr::Gep { base, .. } => base,
                    ConstExpr::Cast { arg, .. } => arg,
                    ConstExpr::Binary { lhs, .. } => lhs,
                    _ => return None,
                },
                _ => return None,
            };
        }
    }
}

/// The first entry from which `next` never ends.
pub(super) fn endless<K: EntityRef, V>(
    entries: &PrimaryMap<K, V>,
    next: impl Fn(K) -> Option<K>,
) -> Option<K> {
    let mut ends: SecondaryMap<K, bool> = SecondaryMap::new();
    for start in entries.keys() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(id) = at.filter(|id| !ends[*id]) {
            if path.len() == entries.len() {
                return Some(start);
            }
            path.push(id);
            at = next(id);
        }
        path.into_iter().for_each(|id| ends[id] = true);
    }
    None
}

/// Records the depth of a part in the type on top of the stack.
fn raise(stack: &mut [(TypeId, usize, usize)], depth: usize) {
    if let Some((_, _, deepest)) = stack.last_mut() {
        *deepest = (*deepest).max(depth + 1);
    }
}

/// The `n`-th type that a type directly contains.
fn nth_part(ty: &Type, n: usize) -> Option<TypeId> {
    match ty {
        Type::Array { element, .. } | Type::Vector { element, .. } => (n == 0).then_some(*element),
        Type::Struct { fields, .. } => fields.get(n).copied(),
        Type::Func { ret, params, .. } => match n {
            0 => Some(*ret),
            _ => params.get(n - 1).copied(),
        },
        _ => None,
    }
}
