//! The rules of well-formed programs.
//!
//! Every front end and every pass ends in [`verify()`]. Engines take a [`Verified`] program; they rely on all
//! rules and check none of them again. This list is complete; [`Rule`] has one variant for each rule.
//!
//! The program:
//!
//!  1. **Names**: globals, functions, threads and observables, and within a function registers and
//!     labels, have different names, each kind by itself.
//!  2. **References**: every function, global, thread, observable, register and block that is
//!     referred to exists.
//!  3. **Positions**: positions and their files are in their tables, and no position is inlined
//!     into itself, directly or indirectly.
//!  4. **Widths**: integer types have 1 to 128 bits; so an access has 1 to 16 bytes.
//!
//! Memory objects:
//!
//!  5. **Sizes**: a global has at most [`MAX_OBJECT_SIZE`] bytes, and there are at most
//!     [`MAX_GLOBALS`].
//!  6. **Alignments**: of globals, `alloca` and `malloc` are powers of two, at most
//!     [`MAX_OBJECT_SIZE`].
//!  7. **Initial bytes**: are no longer than the global.
//!  8. **Relocations**: are addresses of functions or of globals that are not thread-local; their
//!     eight bytes lie inside the global and do not overlap.
//!
//! Functions:
//!
//!  9. **Parameters**: are the first registers, in order.
//! 10. **Declarations**: a function without blocks has no registers but its parameters.
//! 11. **Returns**: `ret` has a value if and only if the function declares a result.
//! 12. **Assignment**: on every path from the entry to a read of a register, the register is
//!     assigned; parameters are assigned at the entry. (So an engine need not clear a frame. An
//!     observable that names a register does not read it: if never assigned, it is observed as 0.)
//!
//! Operands and results:
//!
//! 13. **Operand types**: a register has the type that its place requires; addresses of globals
//!     and functions stand only where a pointer is required; `undef` stands anywhere.
//! 14. **Constants**: fit the type that their place requires, as bits without a sign.
//! 15. **Result types**: the register that is written has the type of the result.
//! 16. **Operations**: float operations and comparisons are on floats, integer ones on integers;
//!     `add`, `sub`, integer comparisons, `await` and `rmw` with `when` take pointers too,
//!     `rmw xchg` without it takes any type; `switch` is on integers.
//! 17. **Casts**: `trunc` narrows and `zext`, `sext` widen integers; `bitcast` keeps the width, and
//!     does not turn pointers into anything else; `ptrtoint` and `inttoptr` relate pointers and
//!     integers; `fptrunc` is f64 to f32, `fpext` f32 to f64; the others relate floats and integers.
//! 18. **Distinct results**: the two results of `cmpxchg` are different registers.
//!
//! Accesses:
//!
//! 19. **Orders**: a load or `await` has no release part, a store no acquire part; a
//!     read-modify-write has any order.
//! 20. **Failure orders**: the failure order of `cmpxchg` is one that a load may have, and of the
//!     same family (plain, C11, machine) as the success order.
//! 21. **Exclusives**: `excl` is only on loads and on `store_cond`.
//! 22. **Raw accesses**: `raw` is only on loads.
//! 23. **Constant objects**: no instruction writes, locks or frees a constant global by its name.
//!
//! Calls and choices:
//!
//! 24. **Calls**: a direct call or spawn has as many arguments as the callee has parameters, and a
//!     call has a result only if the callee returns one.
//! 25. **Cases**: the cases of a `switch` are different.
//! 26. **Choices**: `choose` is on an integer of at most 64 bits, its bounds are in order and fit.
//!
//! Threads and questions about the program:
//!
//! 27. **Threads**: an initial thread's function is defined, its arguments are constants, as many
//!     as the parameters and of their types, and not addresses of thread-local globals; the
//!     function of a thread, initial or spawned by name, returns nothing or at most 64 bits.
//! 28. **Observables**: have at most 64 bits; those in memory lie inside their global, which is not
//!     thread-local.
//! 29. **Conditions**: are nested at most [`MAX_CONDITION_DEPTH`] deep and name no address of a
//!     thread-local global.
//! 30. **Private globals**: are thread-local.
//! 31. **Goals**: name at least one thread and none twice, and blocks of the threads' functions.
//! 32. **Memory lock**: is a global of at least four bytes, neither constant nor thread-local.
//! 33. **Source types**: refer only to types before them and are nested at most
//!     [`MAX_TYPE_DEPTH`](crate::source::MAX_TYPE_DEPTH) deep; scalars have 1 to 16 bytes; notes on
//!     calls are in the order of functions and positions, one for each.

mod assigned;
mod error;
mod function;
mod inst;
mod memory;
mod program;
mod source;
mod types;
mod verified;

pub use error::{Rule, VerifyError};
pub use verified::{Malformed, Verified, verify};

use crate::inst::Operand;
use crate::program::{BlockId, FuncId, LocId, Program, Reg};
use crate::types::Type;
use cranelift_entity::EntityRef;
use std::fmt;

/// The largest memory object, in bytes.
pub const MAX_OBJECT_SIZE: u64 = 1 << 28;
/// The largest number of globals.
pub const MAX_GLOBALS: usize = 1 << 18;
/// The deepest nesting of a condition.
pub const MAX_CONDITION_DEPTH: usize = 256;

/// Checks every rule; the errors are in the order of the program.
pub fn errors(program: &Program) -> Vec<VerifyError> {
    let mut checker = Checker { program, at: At::default(), errors: Vec::new() };
    checker.program();
    for func in program.funcs.keys() {
        checker.function(func);
    }
    checker.errors
}

/// The place that is being checked.
#[derive(Clone, Copy, Debug)]
struct At {
    func: Option<FuncId>,
    block: Option<BlockId>,
    inst: Option<usize>,
    loc: LocId,
}

impl Default for At {
    fn default() -> At {
        At { func: None, block: None, inst: None, loc: LocId::NONE }
    }
}

struct Checker<'p> {
    program: &'p Program,
    at: At,
    errors: Vec<VerifyError>,
}

impl Checker<'_> {
    fn error(&mut self, rule: Rule, message: impl Into<String>) {
        let At { func, block, inst, loc } = self.at;
        let func = func.map(|id| self.program.funcs[id].name.clone());
        self.errors.push(VerifyError { func, block, inst, loc, rule, message: message.into() });
    }

    fn require(&mut self, holds: bool, rule: Rule, message: impl FnOnce() -> String) {
        if !holds {
            self.error(rule, message());
        }
    }

    /// An operand that is not a register, in a place that requires `ty` (`None`: any type).
    fn constant(&mut self, operand: Operand, ty: Option<Type>) {
        let program = self.program;
        let (exists, what): (bool, &dyn fmt::Display) = match &operand {
            Operand::Global(id, _) => (program.globals.is_valid(*id), id),
            Operand::Func(id) => (program.funcs.is_valid(*id), id),
            Operand::Int(value) => {
                let fits = ty.is_none_or(|ty| *value & !ty.mask() == 0);
                return self.require(fits, Rule::Constants, || {
                    format!("the constant {value:#x} does not fit {}", ty.unwrap_or(Type::I128))
                });
            }
            Operand::Reg(_) | Operand::Undef => return,
        };
        self.require(exists, Rule::References, || format!("{what} does not exist"));
        let pointer = ty.is_none_or(|ty| ty == Type::Ptr);
        self.require(pointer, Rule::OperandTypes, || {
            format!("an address where {} is expected", ty.unwrap_or(Type::Ptr))
        });
    }

    fn width(&mut self, ty: Type) {
        let holds = !matches!(ty, Type::Int(bits) if bits == 0 || bits > Type::MAX_BITS);
        self.require(holds, Rule::Widths, || format!("there is no type {ty}"));
    }

    fn position(&mut self, loc: LocId) {
        let holds = loc == LocId::NONE || self.program.loc(loc).is_some();
        self.require(holds, Rule::Positions, || format!("there is no position {}", loc.0));
    }

    /// The name of a register of `func` in messages.
    fn reg_name(&self, func: FuncId, reg: Reg) -> String {
        let info = self.program.funcs[func].regs.get(reg);
        match info.and_then(|info| info.name.as_deref()) {
            Some(name) => format!("%{name}"),
            None => format!("%{}", reg.index()),
        }
    }

    fn is_thread_local(&self, operand: Operand) -> bool {
        let Operand::Global(id, _) = operand else {
            return false;
        };
        self.program.globals.get(id).is_some_and(|global| global.thread_local)
    }
}
