//! Global values, functions and their bodies.

use super::{BlockId, ConstId, DebugId, Inst, LocId, LocalId, NameId, TypeId};
use cranelift_entity::PrimaryMap;
use raddle_ir::mnemonics;
use std::ops::Range;

mnemonics! {
    Linkage {
        External = "external",
        AvailableExternally = "available_externally",
        LinkOnce = "linkonce", LinkOnceOdr = "linkonce_odr",
        Weak = "weak", WeakOdr = "weak_odr", ExternWeak = "extern_weak",
        Common = "common", Appending = "appending",
        Internal = "internal", Private = "private",
    }
}

/// A global value: the meaning of an `@name`.
#[derive(Clone, Debug)]
pub struct GlobalValue {
    /// `None` for a numbered global (`@0`).
    pub name: Option<NameId>,
    pub linkage: Linkage,
    pub kind: GlobalKind,
}

#[derive(Clone, Debug)]
pub enum GlobalKind {
    Variable(Variable),
    Function(Box<Function>),
    /// Another name, possibly with an offset, for a global.
    Alias {
        ty: TypeId,
        target: ConstId,
    },
    /// A function that a resolver selects when the program is loaded.
    IFunc {
        ty: TypeId,
        resolver: ConstId,
    },
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// The type of the contents.
    pub ty: TypeId,
    pub constant: bool,
    pub thread_local: bool,
    /// `None` if defined in another module.
    pub init: Option<ConstId>,
    /// `None` for the default alignment of the type.
    pub align: Option<u64>,
    pub addrspace: u32,
    /// The type in the source.
    pub debug: Option<DebugId>,
}

#[derive(Clone, Debug)]
pub struct Function {
    /// The function type, a [`super::Type::Func`].
    pub ty: TypeId,
    pub ret: TypeId,
    pub params: Vec<Param>,
    pub varargs: bool,
    /// The position of the definition in the source.
    pub loc: Option<LocId>,
    /// `None` if only declared.
    pub body: Option<Body>,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub ty: TypeId,
    pub attrs: ParamAttrs,
}

/// The attributes of parameters and arguments that change the effect of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParamAttrs {
    /// `byval(T)`: the callee gets the address of a copy.
    pub byval: Option<TypeId>,
    /// `sret(T)`: the callee writes its result to this address.
    pub sret: Option<TypeId>,
    pub zeroext: bool,
    pub signext: bool,
    pub align: Option<u64>,
}

/// The code of a function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The parameters come first, in order; then the results of instructions, in the order of their first
    /// mention.
    pub locals: PrimaryMap<LocalId, Local>,
    /// In the order of their first mention; [`Body::layout`] has the order of the text.
    pub blocks: PrimaryMap<BlockId, Block>,
    /// The blocks in the order of the text. The first is the entry.
    pub layout: Vec<BlockId>,
    /// All instructions in the order of the text.
    pub insts: Vec<Inst>,
    /// The types in the source of the variables at the addresses of `alloca`s.
    pub declared: Vec<(LocalId, DebugId)>,
    /// The types of the objects that calls allocate, by their indices into `insts`.
    pub allocated: Vec<(u32, DebugId)>,
}

impl Body {
    pub fn entry(&self) -> BlockId {
        self.layout[0]
    }

    /// The instructions of a block; the last is its terminator.
    pub fn insts(&self, block: BlockId) -> &[Inst] {
        let Range { start, end } = self.blocks[block].insts;
        &self.insts[start as usize..end as usize]
    }

    /// The instruction whose result is this local; `None` for a parameter.
    pub fn definition(&self, local: LocalId) -> Option<&Inst> {
        match self.locals[local].def {
            Def::Inst(index) => Some(&self.insts[index as usize]),
            Def::Param(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Block {
    /// `None` for a numbered block.
    pub name: Option<NameId>,
    /// Indices into [`Body::insts`].
    pub insts: Range<u32>,
}

/// A parameter or the result of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// `None` for a numbered local.
    pub name: Option<NameId>,
    pub ty: TypeId,
    pub def: Def,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// The parameter with this index.
    Param(u32),
    /// The instruction with this index into [`Body::insts`].
    Inst(u32),
}
