//! The parts of a module of LLVM IR.
//!
//! All tables are flat and use typed ids: types, constants, names and positions are stored once
//! per module, locals and blocks once per function. An id is valid only together with
//! the [`Module`] (or, for [`LocalId`] and [`BlockId`], the [`Body`]) from which it came.
//!
//! A module keeps what the meaning and the positions of a program need. It omits attributes that only
//! help optimisers, fast-math flags, visibility, sections, comdats, and all metadata except positions and the types of
//! variables.
//!
//! Invariants of a module that the parser returns:
//! - every id is in range; named types, globals, blocks and locals that are mentioned are defined;
//! - no type contains itself, and neither types nor constants nest deeper than
//!   [`MAX_NESTING`], so recursion over them is bounded;
//! - a body has at least one block, every block ends in its only terminator, and the operands of
//!   an instruction have the types that the text gives them; arithmetic, casts, comparisons, accesses and
//!   addresses accept those types;
//! - chains of `inlined_at` are finite.

mod constant;
mod debug;
mod global;
mod inst;
mod types;

pub use constant::{ConstExpr, ConstKind, Constant};
pub use debug::{DebugMember, DebugRecord, DebugType, Encoding, File, Loc};
pub use global::{
    Block, Body, Def, Function, GlobalKind, GlobalValue, Linkage, Local, Param, ParamAttrs,
    Variable,
};
pub use inst::{
    Arg, Atomic, Call, Callee, CastOp, Clause, CmpXchg, Flags, FloatPredicate, InlineAsm, Inst,
    InstKind, Ordering, RmwOp, Value,
};
pub use types::Type;

use cranelift_entity::{PrimaryMap, entity_impl};

/// The maximum nesting of types, constants and their text.
pub const MAX_NESTING: usize = 128;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        entity_impl!($name, $prefix);
    )+};
}

ids! {
    /// An interned type of a module.
    TypeId "type",
    /// A constant of a module.
    ConstId "const",
    /// An interned string of a module: any name.
    NameId "name",
    /// A variable, function, alias or ifunc of a module.
    GlobalId "@",
    /// A value of one function: a parameter or the result of an instruction.
    LocalId "%",
    /// A block of one function.
    BlockId "block",
    /// A position.
    LocId "loc",
    /// A source file.
    FileId "file",
    /// A type of the source, from debug information.
    DebugId "debug",
}

impl TypeId {
    /// The id of the type that is interned at this place.
    pub(crate) const fn at(index: u32) -> TypeId {
        TypeId(index)
    }
}

/// One translation unit.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub source_filename: Option<NameId>,
    /// The string of `target datalayout`.
    pub data_layout: Option<NameId>,
    /// The string of `target triple`.
    pub triple: Option<NameId>,
    pub names: PrimaryMap<NameId, Box<str>>,
    pub types: PrimaryMap<TypeId, Type>,
    pub constants: PrimaryMap<ConstId, Constant>,
    /// In the order of their first mention.
    pub globals: PrimaryMap<GlobalId, GlobalValue>,
    pub files: PrimaryMap<FileId, File>,
    pub locs: PrimaryMap<LocId, Loc>,
    /// The types of variables, and those that they refer to.
    pub debug_types: PrimaryMap<DebugId, DebugType>,
    /// The lines of `module asm`: assembly outside of functions.
    pub module_asm: Vec<Box<str>>,
}

impl Module {
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id]
    }

    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id]
    }

    pub fn global(&self, id: GlobalId) -> &GlobalValue {
        &self.globals[id]
    }

    /// The linker symbol of a global. LLVM marks names that must not be mangled with a leading byte 1,
    /// which is not part of the symbol. Numbered globals have no symbol.
    pub fn symbol(&self, id: GlobalId) -> Option<&str> {
        let name = self.name(self.globals[id].name?);
        Some(name.strip_prefix('\u{1}').unwrap_or(name))
    }

    /// The functions, declared and defined.
    pub fn functions(&self) -> impl Iterator<Item = (GlobalId, &Function)> {
        self.globals.iter().filter_map(|(id, global)| match &global.kind {
            GlobalKind::Function(function) => Some((id, &**function)),
            _ => None,
        })
    }

    /// The variables, external ones included.
    pub fn variables(&self) -> impl Iterator<Item = (GlobalId, &Variable)> {
        self.globals.iter().filter_map(|(id, global)| match &global.kind {
            GlobalKind::Variable(variable) => Some((id, variable)),
            _ => None,
        })
    }

    /// The type of an operand of `body`; `None` for metadata.
    pub fn value_type(&self, body: &Body, value: Value) -> Option<TypeId> {
        match value {
            Value::Local(local) => Some(body.locals[local].ty),
            Value::Const(constant) => Some(self.constants[constant].ty),
            Value::Metadata => None,
        }
    }
}
