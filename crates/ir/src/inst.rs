//! Instructions, operands, access orders and fence kinds.
//!
//! Enumerations that the text form spells implement [`Mnemonic`]: one table per enumeration gives
//! both the printer and the parser their words.

use crate::program::{BlockId, FuncId, GlobalId, LocId, Reg};
use crate::types::Type;

/// A word of the text form for each value of an enumeration.
pub trait Mnemonic: Copy + PartialEq + 'static {
    const TABLE: &'static [(&'static str, Self)];

    fn mnemonic(self) -> &'static str {
        let entry = Self::TABLE.iter().find(|(_, value)| *value == self);
        entry.expect("every value has a mnemonic").0
    }

    fn from_mnemonic(word: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
    }
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }
        impl Mnemonic for $name {
            const TABLE: &'static [(&'static str, Self)] = &[$(($word, $name::$variant)),+];
        }
    };
}

words! {
    /// Two-operand arithmetic. Integer operations wrap; `shl`, `lshr`, `ashr` by the width or more
    /// give 0 (or the sign); a division by zero fails the thread. `add` and `sub` take pointers too.
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul",
        UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        And = "and", Or = "or", Xor = "xor",
        Shl = "shl", LShr = "lshr", AShr = "ashr",
        FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
    }
}

impl BinOp {
    pub const fn is_float(self) -> bool {
        matches!(self, BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem)
    }
}

words! {
    UnOp { Not = "not", Neg = "neg", FNeg = "fneg" }
}

words! {
    IntPred {
        Eq = "eq", Ne = "ne",
        Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
}

words! {
    /// Float comparisons: `o` is false and `u` is true when an operand is not a number.
    FloatPred {
        Oeq = "oeq", One = "one", Olt = "olt", Ole = "ole", Ogt = "ogt", Oge = "oge", Ord = "ord",
        Ueq = "ueq", Une = "une", FUlt = "fult", FUle = "fule", FUgt = "fugt", FUge = "fuge",
        Uno = "uno",
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pred {
    Int(IntPred),
    Float(FloatPred),
}

words! {
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", BitCast = "bitcast",
        PtrToInt = "ptrtoint", IntToPtr = "inttoptr",
        FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
    }
}

words! {
    /// What an atomic read-modify-write computes from the old value and its operand.
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd", FSub = "fsub",
    }
}

words! {
    /// The order an access asks for: a C11 order, or the flavour of a machine instruction.
    Order {
        /// A C access that is not atomic: two of them may race.
        Plain = "plain",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
        /// A machine's ordinary load or store (litmus assembly): never a race, never a fence.
        Asm = "asm",
        /// A machine's load-acquire (`ldar`).
        AsmAcquire = "asm_acquire",
        /// A machine's weaker load-acquire (`ldapr`).
        AsmAcquirePc = "asm_acquire_pc",
        /// A machine's store-release (`stlr`).
        AsmRelease = "asm_release",
    }
}

impl Order {
    /// The failure order that a compare-exchange of this order has unless it gives another: the
    /// order without its release part, as C has it.
    pub const fn implied_failure(self) -> Order {
        match self {
            Order::AcqRel => Order::Acquire,
            Order::Release => Order::Relaxed,
            Order::AsmRelease => Order::Asm,
            other => other,
        }
    }
}

words! {
    /// Fences, by what the program wrote; each model says which of them it heeds and how.
    FenceKind {
        /// A full fence on every machine.
        Full = "full",
        /// Orders earlier stores before later stores, nothing else, on every machine.
        StoreStore = "store_store",
        /// Stops only the compiler (`atomic_signal_fence`, an empty `asm`).
        Compiler = "compiler",
        CAcquire = "acquire", CRelease = "release", CAcqRel = "acq_rel", CSeqCst = "seq_cst",
        Mfence = "mfence", Sfence = "sfence", Lfence = "lfence",
        Sync = "sync", Lwsync = "lwsync", Isync = "isync", Eieio = "eieio",
        Dmb = "dmb", DmbSt = "dmb.st", DmbLd = "dmb.ld",
        Dsb = "dsb", DsbSt = "dsb.st", DsbLd = "dsb.ld",
        Isb = "isb",
    }
}

words! {
    /// What a `fail` instruction says went wrong.
    FailKind {
        Assertion = "assertion",
        /// A bad pointer, a bad free, an overflow of an object.
        Memory = "memory",
        LockMisuse = "lock_misuse",
        ThreadMisuse = "thread_misuse",
        /// A value was used that was never assigned.
        Uninitialised = "uninitialised",
        /// The program gave up by itself, as C's `abort` does.
        Abort = "abort",
    }
}

/// How an access touches memory, beside its address and width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub order: Order,
    pub volatile: bool,
    /// A load-linked (`lwarx`, `ldrex`) or the store of a store-conditional.
    pub exclusive: bool,
    /// A load that takes whatever is there, also bytes that were never written (0): a copy.
    pub raw: bool,
}

impl Access {
    pub const fn new(order: Order) -> Access {
        Access { order, volatile: false, exclusive: false, raw: false }
    }

    pub const ASM: Access = Access::new(Order::Asm);
}

/// What an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Reg(Reg),
    /// The bits of a constant of whatever type the context asks for (floats by their encoding).
    Int(u128),
    /// The address of a global, plus an offset in bytes.
    Global(GlobalId, i64),
    /// The address of a function.
    Func(FuncId),
    /// No value in particular (LLVM's `undef` and `poison`); runs as 0.
    Undef,
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<GlobalId> for Operand {
    fn from(global: GlobalId) -> Operand {
        Operand::Global(global, 0)
    }
}

impl From<u64> for Operand {
    fn from(bits: u64) -> Operand {
        Operand::Int(bits as u128)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Direct(FuncId),
    /// A call through a pointer.
    Indirect(Operand),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    pub kind: InstKind,
    pub loc: LocId,
}

/// The instructions. Destination registers come first. Where a `ty` stands beside operands, they
/// all have that type; addresses are [`Type::Ptr`] always.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InstKind {
    // ---- local ----
    Bin {
        op: BinOp,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Un {
        op: UnOp,
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    /// `dst` is an `i1`.
    Cmp {
        pred: Pred,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        dst: Reg,
        a: Operand,
    },
    /// `cond` is an `i1`.
    Select {
        ty: Type,
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    Move {
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    Call {
        dst: Option<Reg>,
        callee: Callee,
        args: Vec<Operand>,
    },

    // ---- memory ----
    /// A fresh, uninitialised object that dies with the function's frame; `size` is an `i64`. Only
    /// its own thread ever touches a `private` one: accesses to it are local steps, in effect at
    /// once under every model.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
        private: bool,
    },
    /// A fresh object that lives until it is freed; `size` is an `i64`. Uninitialised unless it is
    /// `zeroed`.
    Malloc {
        dst: Reg,
        size: Operand,
        align: u32,
        zeroed: bool,
    },
    Free {
        addr: Operand,
    },
    /// `dst` (an `i64`) gets how many bytes the object at `addr` has from there on, dead or alive; 0
    /// if there is none. It never changes, so it is no event.
    Extent {
        dst: Reg,
        addr: Operand,
    },
    Load {
        dst: Reg,
        ty: Type,
        addr: Operand,
        access: Access,
    },
    Store {
        ty: Type,
        addr: Operand,
        value: Operand,
        access: Access,
    },
    /// `dst` gets the old value. With `when` it waits until what is in memory compares so, as
    /// integers, and then acts in the same step.
    Rmw {
        op: RmwOp,
        ty: Type,
        dst: Reg,
        addr: Operand,
        value: Operand,
        access: Access,
        when: Option<(IntPred, Operand)>,
    },
    /// `dst` gets the old value, `ok` (an `i1`) whether the exchange happened. A weak one may fail
    /// without a reason on machines where that happens.
    CmpXchg {
        ty: Type,
        dst: Reg,
        ok: Reg,
        addr: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
        success: Access,
        failure: Order,
    },
    /// `stwcx.`, `strex`: stores if the thread's reservation still holds; `ok` (an `i1`) says so.
    StoreCond {
        ty: Type,
        ok: Reg,
        addr: Operand,
        value: Operand,
        access: Access,
    },
    Fence {
        kind: FenceKind,
    },

    // ---- threads ----
    /// Starts `callee(args)` as a new thread; `dst` (an `i64`) gets its handle.
    Spawn {
        dst: Reg,
        callee: Callee,
        args: Vec<Operand>,
    },
    /// Waits for a thread (by handle, an `i64`) to end; `dst` (an `i64`) gets what it returned.
    Join {
        dst: Option<Reg>,
        thread: Operand,
    },
    /// The handle of the running thread, an `i64`.
    SelfId {
        dst: Reg,
    },
    /// Ends the running thread with a result (an `i64`), from any depth of calls.
    ThreadExit {
        value: Operand,
    },
    /// A hint to let others run; has no effect on what can happen.
    Yield,
    /// The program ends, as C's `exit` has it: the running thread stops, and threads that cannot go
    /// on afterwards are no deadlock. Others go on: what they do could as well have come before.
    Halt,

    // ---- locks and condition variables, named by the address of 4 bytes that start as zero ----
    // A lock of all ones is one that was destroyed: to use it is an error.
    Lock {
        addr: Operand,
    },
    /// `dst` (an `i1`) says whether the lock was taken.
    TryLock {
        dst: Reg,
        addr: Operand,
    },
    Unlock {
        addr: Operand,
    },
    /// Releases `mutex`, waits to be woken, takes `mutex` again. With `woken` (an `i1`) the wait may
    /// end at any time; it says whether a signal ended it.
    CondWait {
        woken: Option<Reg>,
        cond: Operand,
        mutex: Operand,
    },
    /// Wakes one waiter, any of them; none if none waits.
    CondSignal {
        cond: Operand,
    },
    CondBroadcast {
        cond: Operand,
    },
    /// Waits until the value at `addr` compares so with `value`, then loads it.
    Await {
        dst: Reg,
        ty: Type,
        pred: IntPred,
        addr: Operand,
        value: Operand,
        access: Access,
    },

    // ---- verification ----
    /// Runs in which `cond` (an `i1`) is false are of no interest: the thread stops there.
    Assume {
        cond: Operand,
    },
    /// `cond` (an `i1`) must hold.
    Assert {
        cond: Operand,
        message: String,
    },
    /// Some value of `lo..=hi`, every one explored; `dst` has type `ty`, an integer of at most 64 bits.
    Choose {
        dst: Reg,
        ty: Type,
        lo: u64,
        hi: u64,
    },
    /// Something the front end could not translate: fails when reached, and says so.
    Unsupported {
        what: String,
    },
    /// The thread fails here.
    Fail {
        kind: FailKind,
        message: String,
    },

    // ---- output ----
    /// C's `printf` formatting. `format` and `args` are pointers; `args` points to one slot of eight
    /// bytes for each argument: integers and pointers as they are, floats as `f64`. Without `to`
    /// the text is output, which only witnesses show; with it (a pointer and a size, an `i64`) at
    /// most size - 1 bytes and a NUL go there. `dst` (an `i32`) gets the length of the whole text.
    /// All of it happens silently: it is no event.
    Format {
        dst: Reg,
        format: Operand,
        args: Operand,
        to: Option<(Operand, Operand)>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub loc: LocId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TerminatorKind {
    Jump(BlockId),
    /// `cond` is an `i1`.
    Branch {
        cond: Operand,
        then: BlockId,
        els: BlockId,
    },
    Switch {
        ty: Type,
        value: Operand,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    Return(Option<Operand>),
    /// Control cannot get here; reaching it is an error of the program.
    Unreachable,
}

impl TerminatorKind {
    /// The blocks that may come next, in the order written.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            TerminatorKind::Jump(to) => vec![*to],
            TerminatorKind::Branch { then, els, .. } => vec![*then, *els],
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, to)| *to).chain([*default]).collect()
            }
            TerminatorKind::Return(_) | TerminatorKind::Unreachable => vec![],
        }
    }
}
