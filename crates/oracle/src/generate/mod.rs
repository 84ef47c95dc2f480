//! Seeded random programs: small, well-formed, and always terminating unless they deadlock.
//!
//! A program has a few scalar globals, possibly an array indexed by loaded values, mutexes, condition
//! variables, semaphores and reader-writer locks, and two to four threads of structured code. Every register
//! is set to zero at the entry of its function, so that every register is assigned on every path. Every
//! register into which an initial thread loads from memory is observed, and so is every scalar and array
//! element. Stored constants are mostly distinct, so that a value identifies its store.
//!
//! The same seed and configuration give the same program.

mod body;
mod config;
mod depend;
mod sync;
mod wait;

pub use config::{Config, Orders, Weights};

use body::Body;
use fastrand::Rng;
use raddle_ir::{
    FuncId, Function, Global, GlobalId, Inst, InstKind, LocId, Observed, Operand, ProgramBuilder,
    Reg, ThreadIdx, Type, Verified, verify,
};

/// The number of elements of the array; a power of two, so that a mask computes an index.
const ELEMENTS: u64 = 2;

/// The program of a seed.
///
/// # Panics
///
/// If the program is not well-formed, which is a defect of the generator.
pub fn program(config: &Config, seed: u64) -> Verified {
    let mut plan = Plan::new(config, seed);
    let threads = plan.rng.usize(config.threads.clone());
    for index in 0..threads {
        plan.thread(index);
    }
    plan.observe_memory();
    verify(plan.builder.finish()).expect("generated programs are well-formed")
}

/// The state that the functions of a program share during generation.
struct Plan<'c> {
    config: &'c Config,
    rng: Rng,
    builder: ProgramBuilder,
    scalars: Vec<(GlobalId, Type)>,
    array: (GlobalId, Type),
    mutexes: Vec<GlobalId>,
    conditions: Vec<GlobalId>,
    semaphores: Vec<GlobalId>,
    rwlocks: Vec<GlobalId>,
    stored: u64,
    functions: usize,
}

impl<'c> Plan<'c> {
    fn new(config: &'c Config, seed: u64) -> Plan<'c> {
        let mut rng = Rng::with_seed(seed);
        let mut builder = ProgramBuilder::new(format!("seed{seed}"));
        let any_type = |rng: &mut Rng| config.types[rng.usize(..config.types.len())];
        let scalars = (0..config.locations)
            .map(|i| {
                let ty = any_type(&mut rng);
                (builder.scalar(format!("x{i}"), ty, 0), ty)
            })
            .collect();
        let element = any_type(&mut rng);
        let size = u64::from(element.bytes());
        let array = Global::zeroed("array", ELEMENTS * size, element.bytes());
        let array = (builder.global(array), element);
        let mut words = |name: &str, count, value: &mut dyn FnMut() -> u128| -> Vec<GlobalId> {
            let word = |i| builder.scalar(format!("{name}{i}"), Type::I32, value());
            (0..count).map(word).collect()
        };
        let mutexes = words("mutex", config.mutexes, &mut || 0);
        let conditions = words("condition", config.conditions, &mut || 0);
        let semaphores = words("semaphore", config.semaphores, &mut || rng.u128(..=2));
        let rwlocks = words("rwlock", config.rwlocks, &mut || 0);
        Plan {
            config,
            rng,
            builder,
            scalars,
            array,
            mutexes,
            conditions,
            semaphores,
            rwlocks,
            stored: 0,
            functions: 0,
        }
    }

    fn thread(&mut self, index: usize) {
        let budget = self.rng.usize(self.config.instructions.clone());
        let mut body = Body::new(self, format!("p{index}"), None);
        body.statements(budget);
        let (function, loaded) = body.finish();
        let func = self.builder.function(initialised(function));
        let thread = self.builder.thread(format!("t{index}"), func, Vec::new());
        self.observe_registers(thread, &loaded);
    }

    fn observe_registers(&mut self, thread: ThreadIdx, loaded: &[Reg]) {
        for (i, reg) in loaded.iter().enumerate() {
            let name = format!("{}:{i}", thread.as_u32());
            self.builder.observe(name, Observed::Reg(thread, *reg));
        }
    }

    fn observe_memory(&mut self) {
        for (i, (global, ty)) in self.scalars.clone().into_iter().enumerate() {
            self.builder.observe(format!("x{i}"), Observed::Mem { global, offset: 0, ty });
        }
        let (global, ty) = self.array;
        for i in 0..ELEMENTS {
            let offset = i * u64::from(ty.bytes());
            self.builder.observe(format!("array{i}"), Observed::Mem { global, offset, ty });
        }
    }

    /// A function from `i64` to `i64`, to be called or spawned.
    fn helper(&mut self, budget: usize) -> FuncId {
        let name = format!("f{}", self.functions);
        self.functions += 1;
        let mut body = Body::new(self, name, Some(Type::I64));
        body.statements(budget);
        let (function, _) = body.finish();
        self.builder.function(initialised(function))
    }

    /// A constant to store, usually a new one.
    fn constant(&mut self, ty: Type) -> Operand {
        if self.rng.u32(..100) >= self.config.repeated_values {
            self.stored += 1;
        }
        Operand::Int(u128::from(self.stored) & ty.mask())
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.rng.usize(..items.len())]
    }
}

/// Sets every register that is not a parameter to zero at the entry.
fn initialised(mut function: Function) -> Function {
    let params = function.params.len();
    let zero = |(dst, info): (Reg, &raddle_ir::RegInfo)| Inst {
        kind: InstKind::Move { ty: info.ty, dst, a: Operand::Int(0) },
        loc: LocId::NONE,
    };
    let moves: Vec<Inst> = function.regs.iter().skip(params).map(zero).collect();
    if let Some(entry) = function.blocks.values_mut().next() {
        entry.insts.splice(0..0, moves);
    }
    function
}
