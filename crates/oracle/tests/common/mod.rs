//! Programs for tests, written as words: one list of statements for each thread.
//!
//! | statement | meaning |
//! |---|---|
//! | `x=1` | store |
//! | `x` | load, observed |
//! | `x+1` | atomic addition, the old value observed |
//! | `x?0:1` | compare-and-swap, the old value observed |
//! | `mfence`, `sfence` | fences |
//! | `x:=1`, `x!=1` | release store, sequentially consistent store |
//! | `await x 1` | wait for a value |
//! | `assume 1`, `assert 1` | that the last value read is this one |
//! | `choose 3` | one of 0…3, observed |
//! | `lock m`, `try m`, `unlock m` | `try` without the branch: see `try{` |
//! | `try{ m`, `}` | the statements between them run if the lock was taken |
//! | `wait c m`, `signal c`, `broadcast c` | condition variables |
//!
//! Every location that is stored to is observed, after the registers, in order of appearance.

use raddle_ir::{
    Access, BlockId, FenceKind, FunctionBuilder, GlobalId, InstKind, IntPred, Observed, Operand,
    Order, Pred, Program, ProgramBuilder, Reg, RmwOp, Type,
};
use raddle_oracle::{Model, Outcome, axiomatic, interleavings};
use std::collections::BTreeMap;

pub(crate) const BUDGET: u64 = 100_000;

pub(crate) fn program(threads: &[&[&str]]) -> Program {
    let mut words = Words { builder: ProgramBuilder::new("test"), ..Words::default() };
    for (index, statements) in threads.iter().enumerate() {
        words.thread(index, statements);
    }
    for name in words.stored.clone() {
        let what = Observed::Mem { global: words.globals[&name], offset: 0, ty: Type::I32 };
        words.builder.observe(name, what);
    }
    words.builder.finish()
}

/// The outcome of both oracles, which must be the same.
pub(crate) fn both(program: &Program, model: Model) -> Outcome {
    let one = axiomatic::executions(program, model).expect("in the oracle's subset");
    let other = interleavings::executions(program, model, BUDGET).expect("small enough");
    assert_eq!(one, other, "{model}");
    one
}

/// The outcome of the oracle that supports locks and threads.
pub(crate) fn run(program: &Program, model: Model) -> Outcome {
    interleavings::executions(program, model, BUDGET).expect("small enough")
}

pub(crate) fn counts(program: &Program) -> [u64; 3] {
    Model::ALL.map(|model| both(program, model).executions)
}

#[derive(Default)]
struct Words {
    builder: ProgramBuilder,
    globals: BTreeMap<String, GlobalId>,
    stored: Vec<String>,
}

const TY: Type = Type::I32;

impl Words {
    fn global(&mut self, name: &str) -> Operand {
        if !self.globals.contains_key(name) {
            let id = self.builder.scalar(name, TY, 0);
            self.globals.insert(name.into(), id);
        }
        self.globals[name].into()
    }

    fn store_target(&mut self, name: &str) -> Operand {
        if !self.stored.iter().any(|stored| stored == name) {
            self.stored.push(name.into());
        }
        self.global(name)
    }

    fn thread(&mut self, index: usize, statements: &[&str]) {
        let function = FunctionBuilder::new(format!("p{index}"));
        let mut code = Code { function, observed: Vec::new(), open: Vec::new() };
        for statement in statements {
            self.statement(&mut code, statement);
        }
        code.function.ret(None);
        let func = self.builder.function(code.function.finish());
        let thread = self.builder.thread(format!("t{index}"), func, Vec::new());
        for (i, reg) in code.observed.into_iter().enumerate() {
            self.builder.observe(format!("{index}:{i}"), Observed::Reg(thread, reg));
        }
    }

    fn statement(&mut self, code: &mut Code, statement: &str) {
        let words: Vec<&str> = statement.split(' ').collect();
        match words[..] {
            ["mfence"] => code.push(InstKind::Fence { kind: FenceKind::Mfence }),
            ["sfence"] => code.push(InstKind::Fence { kind: FenceKind::Sfence }),
            ["lock", m] => code.push(InstKind::Lock { addr: self.global(m) }),
            ["unlock", m] => code.push(InstKind::Unlock { addr: self.global(m) }),
            ["try", m] => {
                let (dst, addr) = (code.observed_reg(Type::BOOL), self.global(m));
                code.push(InstKind::TryLock { dst, addr });
            }
            ["try{", m] => code.try_block(self.global(m)),
            ["}"] => code.close(),
            ["wait", c, m] => {
                code.push(InstKind::CondWait {
                    woken: None,
                    cond: self.global(c),
                    mutex: self.global(m),
                });
            }
            ["signal", c] => code.push(InstKind::CondSignal { cond: self.global(c) }),
            ["broadcast", c] => code.push(InstKind::CondBroadcast { cond: self.global(c) }),
            ["await", x, value] => {
                let (dst, addr) = (code.observed_reg(TY), self.global(x));
                let (pred, value, access) = (IntPred::Eq, number(value), Access::ASM);
                code.push(InstKind::Await { dst, ty: TY, pred, addr, value, access });
            }
            ["assume", value] => {
                let cond = code.last_is(number(value));
                code.push(InstKind::Assume { cond });
            }
            ["assert", value] => {
                let cond = code.last_is(number(value));
                code.push(InstKind::Assert { cond, message: statement.into() });
            }
            ["choose", hi] => {
                let (dst, hi) = (code.observed_reg(TY), hi.parse().expect("a number"));
                code.push(InstKind::Choose { dst, ty: TY, lo: 0, hi, partial: false });
            }
            [access] => self.access(code, access),
            _ => panic!("unknown statement {statement}"),
        }
    }

    fn access(&mut self, code: &mut Code, statement: &str) {
        let order = |order| Access::new(order);
        for (operator, access) in
            [(":=", order(Order::Release)), ("!=", order(Order::SeqCst)), ("=", Access::ASM)]
        {
            if let Some((x, value)) = statement.split_once(operator) {
                let (addr, value) = (self.store_target(x), number(value));
                return code.push(InstKind::Store { ty: TY, addr, value, access });
            }
        }
        let access = Access::ASM;
        if let Some((x, value)) = statement.split_once('+') {
            let (dst, addr, value) = (code.observed_reg(TY), self.store_target(x), number(value));
            code.push(InstKind::Rmw {
                op: RmwOp::Add,
                ty: TY,
                dst,
                addr,
                value,
                access,
                when: None,
            });
        } else if let Some((x, values)) = statement.split_once('?') {
            let (expected, new) = values.split_once(':').expect("expected:new");
            let (dst, ok) = (code.observed_reg(TY), code.function.reg(None, Type::BOOL));
            code.push(InstKind::CmpXchg {
                ty: TY,
                dst,
                ok,
                addr: self.store_target(x),
                expected: number(expected),
                new: number(new),
                weak: false,
                success: access,
                failure: Order::Asm,
            });
        } else {
            let (dst, addr) = (code.observed_reg(TY), self.global(statement));
            code.push(InstKind::Load { dst, ty: TY, addr, access });
        }
    }
}

fn number(word: &str) -> Operand {
    Operand::Int(word.parse().expect("a number"))
}

struct Code {
    function: FunctionBuilder,
    observed: Vec<Reg>,
    /// The blocks at which control continues after the open `try{` blocks.
    open: Vec<BlockId>,
}

impl Code {
    fn push(&mut self, kind: InstKind) {
        self.function.push(kind);
    }

    fn observed_reg(&mut self, ty: Type) -> Reg {
        let reg = self.function.reg(None, ty);
        self.observed.push(reg);
        reg
    }

    fn last_is(&mut self, b: Operand) -> Operand {
        let a = (*self.observed.last().expect("something was read")).into();
        let dst = self.function.reg(None, Type::BOOL);
        self.push(InstKind::Cmp { pred: Pred::Int(IntPred::Eq), ty: TY, dst, a, b });
        dst.into()
    }

    fn try_block(&mut self, addr: Operand) {
        let dst = self.observed_reg(Type::BOOL);
        self.push(InstKind::TryLock { dst, addr });
        let (taken, after) = (self.function.block(None), self.function.block(None));
        self.function.branch(dst, taken, after);
        self.function.switch_to(taken);
        self.open.push(after);
    }

    fn close(&mut self) {
        let after = self.open.pop().expect("an open block");
        self.function.jump(after);
        self.function.switch_to(after);
    }
}
