//! The enumerations that the text form spells as words: operators, predicates, access orders, fence kinds.
//!
//! Each implements [`Mnemonic`]: one table per enumeration gives both the printer and the parser
//! their words.

use serde::{Deserialize, Serialize};

/// A word of the text form for each value of an enumeration.
pub trait Mnemonic: Copy + PartialEq + 'static {
    const TABLE: &'static [(&'static str, Self)];

    fn mnemonic(self) -> &'static str {
        let entry = Self::TABLE.iter().find(|(_, value)| *value == self);
        entry.expect("every value has a mnemonic").0
    }

    fn from_mnemonic(word: impl AsRef<[u8]>) -> Option<Self> {
        let entry = Self::TABLE.iter().find(|(name, _)| name.as_bytes() == word.as_ref());
        entry.map(|(_, value)| *value)
    }
}

/// Declares an enumeration whose values are words of a text, and its [`Mnemonic`].
#[macro_export]
macro_rules! mnemonics {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }
        impl $crate::Mnemonic for $name {
            const TABLE: &'static [(&'static str, Self)] = &[$(($word, $name::$variant)),+];
        }
    };
}

mnemonics! {
    /// Arithmetic on two operands. Integer operations wrap; `shl`, `lshr`, `ashr` by the width or more
    /// give 0 (or the sign); a division by zero fails the thread. `add` and `sub` also accept pointers.
    #[derive(Serialize, Deserialize)]
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

mnemonics! {
    #[derive(Serialize, Deserialize)]
    UnOp { Not = "not", Neg = "neg", FNeg = "fneg" }
}

mnemonics! {
    #[derive(Serialize, Deserialize)]
    IntPred {
        Eq = "eq", Ne = "ne",
        Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
}

mnemonics! {
    /// Float comparisons: `o` is false and `u` is true when an operand is not a number.
    #[derive(Serialize, Deserialize)]
    FloatPred {
        Oeq = "oeq", One = "one", Olt = "olt", Ole = "ole", Ogt = "ogt", Oge = "oge", Ord = "ord",
        Ueq = "ueq", Une = "une", FUlt = "fult", FUle = "fule", FUgt = "fugt", FUge = "fuge",
        Uno = "uno",
    }
}

mnemonics! {
    #[derive(Serialize, Deserialize)]
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", BitCast = "bitcast",
        PtrToInt = "ptrtoint", IntToPtr = "inttoptr",
        FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
    }
}

mnemonics! {
    /// The operation that an atomic read-modify-write applies to the old value and its operand.
    #[derive(Serialize, Deserialize)]
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd", FSub = "fsub",
    }
}

mnemonics! {
    /// The order of an access: a C11 order, or the kind of a machine instruction.
    #[derive(Serialize, Deserialize)]
    Order {
        /// A C access that is not atomic: two of them may race.
        Plain = "plain",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
        /// A machine's ordinary load or store (litmus assembly): it never races and is not a fence.
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
    /// The default failure order of a compare-exchange of this order: the order without its release
    /// part, as in C.
    pub const fn implied_failure(self) -> Order {
        match self {
            Order::AcqRel => Order::Acquire,
            Order::Release => Order::Relaxed,
            Order::AsmRelease => Order::Asm,
            other => other,
        }
    }
}

mnemonics! {
    /// Fences, as the program wrote them. Each model defines which of them it respects, and how.
    #[derive(Serialize, Deserialize)]
    FenceKind {
        /// A full fence on every machine.
        Full = "full",
        /// Orders earlier stores before later stores, nothing else, on every machine.
        StoreStore = "store_store",
        /// Constrains only the compiler (`atomic_signal_fence`, an empty `asm`).
        Compiler = "compiler",
        CAcquire = "acquire", CRelease = "release", CAcqRel = "acq_rel", CSeqCst = "seq_cst",
        Mfence = "mfence", Sfence = "sfence", Lfence = "lfence",
        Sync = "sync", Lwsync = "lwsync", Isync = "isync", Eieio = "eieio",
        Dmb = "dmb", DmbSt = "dmb.st", DmbLd = "dmb.ld",
        Dsb = "dsb", DsbSt = "dsb.st", DsbLd = "dsb.ld",
        Isb = "isb",
    }
}

mnemonics! {
    /// The error that a `fail` instruction reports.
    #[derive(Serialize, Deserialize)]
    FailKind {
        Assertion = "assertion",
        /// A bad pointer, a bad free, an overflow of an object.
        Memory = "memory",
        LockMisuse = "lock_misuse",
        ThreadMisuse = "thread_misuse",
        /// The program used a value that was never assigned.
        Uninitialised = "uninitialised",
        /// The program ended itself, as with C's `abort`.
        Abort = "abort",
    }
}
