//! The whole machine: code, memory, threads, and the trail under them.

use crate::code::Code;
use crate::decode::decode;
use crate::fault::{FailureKind, Fault};
use crate::layout::{self, ObjectId, object_address};
use crate::live::RegSet;
use crate::memory::{Memory, ObjectKind, Purpose};
use crate::names::Names;
use crate::needed::Needed;
use crate::run::STRETCH;
use crate::spin::Watch;
use crate::thread::{MAX_THREADS, RECORD, Thread, ThreadId, frame};
use crate::trail::Trail;
use crate::unroll::Unroll;
use raddle_budget::Budget;
use raddle_ir::{FuncId, GlobalId, Observed, Operand, Verified};
use rustc_hash::FxHashMap;

/// The bounds on the work of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Instructions between two visible operations.
    pub steps: u64,
    /// Which loops are bounded.
    pub unroll: Unroll,
    /// Whether threads that spin are stopped.
    pub spin: bool,
    /// Time and memory. When they are spent, a thread stops as if it had run out of steps; the engine checks
    /// the budget before it relies on that.
    pub budget: Budget,
}

#[derive(Clone, Debug)]
pub struct Machine<'p> {
    pub program: &'p Verified,
    pub trail: Trail,
    pub memory: Memory,
    pub(crate) code: Code,
    pub(crate) threads: Vec<Thread>,
    pub bounds: Bounds,
    /// The length from which the undo log of a run of local steps is compacted.
    pub(crate) worth_compacting: u64,
    /// Live registers at the starts of blocks, computed on demand for each function.
    pub(crate) live: FxHashMap<FuncId, Vec<RegSet>>,
    /// For [`crate::codec`]: the needed words of each function, its observed registers, and the function of
    /// each operation.
    pub(crate) needed: Vec<Needed>,
    pub(crate) observed: Vec<Vec<u32>>,
    pub(crate) func_of: Vec<u32>,
    /// Whether threads pause at the places of goals.
    pub(crate) pausing: bool,
    /// The fault of the run that just failed.
    pub(crate) fault: Option<Box<Fault>>,
    /// When threads are stopped at heads of loops.
    pub(crate) watch: Watch,
    /// The length of the undo log when the run of local steps began.
    pub(crate) run_from: u64,
    /// The output of the program, if it is kept.
    pub(crate) output: Option<Vec<String>>,
    /// Whether threads and objects get numbers on first use.
    pub(crate) names: Names,
}

impl<'p> Machine<'p> {
    /// A machine before the first instruction of every initial thread.
    pub fn new(program: &'p Verified, bounds: Bounds) -> Result<Machine<'p>, Fault> {
        let mut machine = Machine {
            program,
            trail: Trail::new(&bounds.budget),
            memory: Memory::default(),
            code: decode(program, &bounds)?,
            threads: Vec::new(),
            bounds,
            worth_compacting: 4 * STRETCH,
            live: FxHashMap::default(),
            needed: Vec::new(),
            observed: Vec::new(),
            func_of: Vec::new(),
            pausing: false,
            fault: None,
            watch: Watch::Always,
            run_from: 0,
            output: None,
            names: Names::default(),
        };
        machine.trail.reserve(MAX_THREADS * RECORD);
        for (id, global) in &program.globals {
            // The number of a thread-local global stays unused: each thread makes its own copy.
            let bytes = if global.thread_local { 0 } else { global.size as u32 };
            let object = machine.memory.name_object(&mut machine.trail, bytes)?;
            debug_assert_eq!(object_address(object), layout::global_address(id));
            if !global.thread_local {
                machine.initialise(object, id, ObjectKind::Global)?;
            }
        }
        for thread in program.threads.values() {
            let id = machine.name_thread(thread.name.clone());
            let args: Vec<(u128, bool)> =
                thread.args.iter().map(|arg| machine.initial_value(id, *arg)).collect();
            machine.start(id, thread.func, &args)?;
        }
        Ok(machine)
    }

    pub(crate) fn initialise(
        &mut self,
        object: ObjectId,
        global: GlobalId,
        kind: ObjectKind,
    ) -> Result<(), Fault> {
        let global = &self.program.globals[global];
        self.memory.allocate(&mut self.trail, object, global.size as u32, kind)?;
        let base = object_address(object);
        for (offset, byte) in global.init.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            if offset.is_multiple_of(1 << 16) && self.trail.budget().is_spent() {
                return Err(Fault::new(FailureKind::Unsupported, "no time to initialise memory"));
            }
            self.poke(base + offset as u64, 1, u128::from(*byte))?;
        }
        for (offset, operand) in &global.relocs {
            let value = match *operand {
                Operand::Global(to, by) => layout::global_address(to).wrapping_add_signed(by),
                Operand::Func(func) => layout::function_address(func),
                Operand::Int(bits) => bits as u64,
                Operand::Reg(_) | Operand::Undef => 0,
            };
            self.poke(base + offset, 8, u128::from(value))?;
        }
        if global.constant {
            let (size, kind) = (global.size as u32, ObjectKind::Constant);
            self.memory.allocate(&mut self.trail, object, size, kind)?;
        }
        Ok(())
    }

    fn poke(&mut self, addr: u64, bytes: u32, value: u128) -> Result<(), Fault> {
        let slice = self.memory.access(&self.trail, addr, bytes, Purpose::Write)?;
        self.memory.write(&mut self.trail, slice, value);
        Ok(())
    }

    fn initial_value(&mut self, thread: ThreadId, operand: Operand) -> (u128, bool) {
        match operand {
            Operand::Int(bits) => (bits, bits > u128::from(u64::MAX)),
            Operand::Func(func) => (layout::function_address(func).into(), false),
            Operand::Global(global, by) if self.program.globals[global].thread_local => {
                let addr = self.thread_local(thread, global).map_or(0, object_address);
                (addr.wrapping_add_signed(by).into(), false)
            }
            Operand::Global(global, by) => {
                (layout::global_address(global).wrapping_add_signed(by).into(), false)
            }
            Operand::Reg(_) | Operand::Undef => (0, false),
        }
    }

    /// The final value of an observable.
    pub fn observe(&self, what: Observed) -> u64 {
        match what {
            Observed::Reg(thread, reg) => {
                let thread = &self.threads[thread.as_u32() as usize];
                let Some(func) = thread.func else { return 0 };
                let (slot, _) = self.code.funcs[func.as_u32() as usize].regs[reg.as_u32() as usize];
                // The outermost frame is at the start of the first chunk.
                self.trail.get(thread.chunks[0].0.at(frame::SLOTS + slot.0))
            }
            Observed::Mem { global, offset, ty } => {
                let addr = layout::global_address(global) + offset;
                let slice = self.memory.access(&self.trail, addr, ty.bytes(), Purpose::Read);
                slice.map_or(0, |slice| self.memory.read(&self.trail, slice) as u64)
            }
        }
    }
}
