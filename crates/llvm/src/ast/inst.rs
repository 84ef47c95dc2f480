//! Instructions and their operands.

use super::{BlockId, ConstId, LocId, LocalId, NameId, ParamAttrs, TypeId};
use raddle_ir::{BinOp, IntPred, mnemonics};

/// An operand. [`super::Module::value_type`] gives its type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Local(LocalId),
    Const(ConstId),
    /// An argument of type metadata, which only intrinsics take. Its contents are omitted.
    Metadata,
}

#[derive(Clone, Debug)]
pub struct Inst {
    pub kind: InstKind,
    /// Present for every instruction whose type is not void, even if the text does not name the result.
    pub result: Option<LocalId>,
    pub loc: Option<LocId>,
}

/// The operation of an instruction. The type of its result is that of [`Inst::result`].
#[derive(Clone, Debug)]
pub enum InstKind {
    Ret(Option<Value>),
    Br(BlockId),
    CondBr {
        cond: Value,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Value,
        default: BlockId,
        cases: Box<[(ConstId, BlockId)]>,
    },
    IndirectBr {
        address: Value,
        targets: Box<[BlockId]>,
    },
    Invoke {
        call: Box<Call>,
        normal: BlockId,
        unwind: BlockId,
    },
    /// `asm goto`.
    CallBr {
        call: Box<Call>,
        fallthrough: BlockId,
        indirect: Box<[BlockId]>,
    },
    Resume(Value),
    CatchSwitch {
        /// `None` for `within none`.
        parent: Option<Value>,
        handlers: Box<[BlockId]>,
        /// `None` if it unwinds to the caller.
        unwind: Option<BlockId>,
    },
    CatchRet {
        pad: Value,
        to: BlockId,
    },
    CleanupRet {
        pad: Value,
        /// `None` if it unwinds to the caller.
        unwind: Option<BlockId>,
    },
    Unreachable,

    FNeg(Value),
    Binary {
        op: BinOp,
        flags: Flags,
        lhs: Value,
        rhs: Value,
    },
    Cast {
        op: CastOp,
        flags: Flags,
        arg: Value,
    },
    ICmp {
        pred: IntPred,
        lhs: Value,
        rhs: Value,
    },
    FCmp {
        pred: FloatPredicate,
        lhs: Value,
        rhs: Value,
    },
    Select {
        cond: Value,
        then: Value,
        otherwise: Value,
    },
    Freeze(Value),
    Phi {
        incoming: Box<[(Value, BlockId)]>,
    },

    Alloca {
        ty: TypeId,
        /// `None` for one element.
        count: Option<Value>,
        align: Option<u64>,
        inalloca: bool,
    },
    /// Loads a value of the result's type.
    Load {
        ptr: Value,
        align: Option<u64>,
        volatile: bool,
        atomic: Option<Atomic>,
    },
    Store {
        value: Value,
        ptr: Value,
        align: Option<u64>,
        volatile: bool,
        atomic: Option<Atomic>,
    },
    Fence(Atomic),
    /// The result is a structure of the old value and whether the exchange happened.
    CmpXchg(Box<CmpXchg>),
    AtomicRmw {
        op: RmwOp,
        ptr: Value,
        value: Value,
        align: Option<u64>,
        volatile: bool,
        atomic: Atomic,
    },
    Gep {
        /// The type whose size the first index counts.
        source: TypeId,
        base: Value,
        indices: Box<[Value]>,
        flags: Flags,
    },

    Call(Box<Call>),
    /// The next variadic argument, of the result's type.
    VaArg {
        list: Value,
    },

    ExtractElement {
        vector: Value,
        index: Value,
    },
    InsertElement {
        vector: Value,
        value: Value,
        index: Value,
    },
    ShuffleVector {
        lhs: Value,
        rhs: Value,
        mask: ConstId,
    },
    ExtractValue {
        aggregate: Value,
        indices: Box<[u32]>,
    },
    InsertValue {
        aggregate: Value,
        value: Value,
        indices: Box<[u32]>,
    },

    LandingPad {
        cleanup: bool,
        clauses: Box<[Clause]>,
    },
    CatchPad {
        within: Value,
        args: Box<[Value]>,
    },
    CleanupPad {
        /// `None` for `within none`.
        within: Option<Value>,
        args: Box<[Value]>,
    },
}

#[derive(Clone, Debug)]
pub struct CmpXchg {
    pub ptr: Value,
    pub expected: Value,
    pub new: Value,
    pub align: Option<u64>,
    pub weak: bool,
    pub volatile: bool,
    pub success: Atomic,
    pub failure: Ordering,
}

impl InstKind {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Ret(_)
                | InstKind::Br(_)
                | InstKind::CondBr { .. }
                | InstKind::Switch { .. }
                | InstKind::IndirectBr { .. }
                | InstKind::Invoke { .. }
                | InstKind::CallBr { .. }
                | InstKind::Resume(_)
                | InstKind::CatchSwitch { .. }
                | InstKind::CatchRet { .. }
                | InstKind::CleanupRet { .. }
                | InstKind::Unreachable
        )
    }
}

/// The common part of `call`, `invoke` and `callbr`.
#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    /// The type of the called function, from the view of the call.
    pub ty: TypeId,
    pub args: Box<[Arg]>,
    /// The call must not grow the stack: the caller's frame no longer exists when the callee runs.
    pub musttail: bool,
    /// The call has operand bundles (`[ "tag"(…) ]`); their contents are omitted.
    pub bundles: bool,
}

#[derive(Clone, Debug)]
pub enum Callee {
    /// A function, by its address.
    Value(Value),
    Asm(Box<InlineAsm>),
}

#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub value: Value,
    pub attrs: ParamAttrs,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineAsm {
    pub template: Box<str>,
    pub constraints: Box<str>,
    pub side_effects: bool,
    pub align_stack: bool,
    pub intel_dialect: bool,
    pub unwind: bool,
}

/// The exceptions that a landing pad catches.
#[derive(Clone, Copy, Debug)]
pub enum Clause {
    Catch(Value),
    Filter(Value),
}

/// The ordering of an access or fence, and its scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Atomic {
    pub order: Ordering,
    /// `syncscope("…")`; `singlethread` orders against signal handlers only.
    pub scope: Option<NameId>,
}

mnemonics! {
    Ordering {
        Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire",
        Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
}

mnemonics! {
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext",
        FPTrunc = "fptrunc", FPExt = "fpext",
        FPToUI = "fptoui", FPToSI = "fptosi", UIToFP = "uitofp", SIToFP = "sitofp",
        PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr",
        BitCast = "bitcast", AddrSpaceCast = "addrspacecast",
    }
}

mnemonics! {
    FloatPredicate {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole",
        One = "one", Ord = "ord", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult",
        Ule = "ule", Une = "une", Uno = "uno", True = "true",
    }
}

mnemonics! {
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or",
        Xor = "xor", Max = "max", Min = "min", UMax = "umax", UMin = "umin",
        FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin",
        FMaximum = "fmaximum", FMinimum = "fminimum",
        FMaximumNum = "fmaximumnum", FMinimumNum = "fminimumnum",
        UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap",
        USubCond = "usub_cond", USubSat = "usub_sat",
    }
}

/// A set of flags. Each flag promises a property; the result is poison if the promise is broken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(u8);

impl Flags {
    pub const NONE: Flags = Flags(0);
    /// No unsigned wrap.
    pub const NUW: Flags = Flags(1);
    /// No signed wrap.
    pub const NSW: Flags = Flags(2);
    /// No nonzero bits are shifted out, or the division has no remainder.
    pub const EXACT: Flags = Flags(4);
    /// No bit is set in both operands of an `or`.
    pub const DISJOINT: Flags = Flags(8);
    /// The operand of a `zext` or `uitofp` is not negative.
    pub const NNEG: Flags = Flags(16);
    /// The address stays within its object.
    pub const INBOUNDS: Flags = Flags(32);
    /// Address computation does not wrap, with an unsigned base and a signed offset.
    pub const NUSW: Flags = Flags(64);

    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}
