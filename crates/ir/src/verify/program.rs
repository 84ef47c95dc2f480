//! Rules about everything outside of functions.

use super::{At, Checker, MAX_CONDITION_DEPTH, MAX_GLOBALS, MAX_OBJECT_SIZE, Rule};
use crate::cond::{Prop, Term};
use crate::inst::Operand;
use crate::program::{FuncId, Global, GlobalId, Goal, InitThread, LocId, Observable, Observed};
use crate::text::quoted;
use crate::types::Type;
use std::collections::HashSet;

/// Bytes of an address in memory.
const ADDRESS_BYTES: u64 = Type::Ptr.bytes() as u64;

impl Checker<'_> {
    pub(super) fn program(&mut self) {
        let program = self.program;
        self.unique("global", program.globals.values().map(|g| &*g.name));
        self.unique("function", program.funcs.values().map(|f| &*f.name));
        self.unique("thread", program.threads.values().map(|t| &*t.name));
        self.unique("observable", program.observables.values().map(|o| &*o.name));
        self.positions();
        self.source_types();
        self.require(program.globals.len() <= MAX_GLOBALS, Rule::Sizes, || {
            format!("{} globals; at most {MAX_GLOBALS} are allowed", program.globals.len())
        });
        program.globals.values().for_each(|global| self.global(global));
        program.threads.values().for_each(|thread| self.thread(thread));
        program.observables.values().for_each(|observable| self.observable(observable));
        if let Some(condition) = &program.condition {
            self.condition(&condition.prop);
        }
        program.goals.iter().for_each(|goal| self.goal(goal));
        if let Some(lock) = program.memory_lock {
            self.memory_lock(lock);
        }
    }

    fn goal(&mut self, goal: &Goal) {
        let mut seen = HashSet::new();
        let distinct = goal.places.iter().all(|(thread, _)| seen.insert(*thread));
        self.require(distinct && !goal.places.is_empty(), Rule::Goals, || {
            "a goal names no thread, or one twice".to_owned()
        });
        for (thread, block) in &goal.places {
            let program = self.program;
            let func = program.threads.get(*thread).and_then(|t| program.funcs.get(t.func));
            let exists = func.is_some_and(|func| func.blocks.is_valid(*block));
            self.require(exists, Rule::References, || {
                format!("a goal names {block} of {thread}, which does not exist")
            });
        }
    }

    fn memory_lock(&mut self, lock: GlobalId) {
        let Some(global) = self.program.globals.get(lock) else {
            return self.error(Rule::References, format!("{lock} does not exist"));
        };
        let fits = global.size >= 4 && !global.constant && !global.thread_local;
        self.require(fits, Rule::MemoryLock, || {
            format!("@{} cannot be the memory lock", global.name)
        });
    }

    pub(super) fn unique<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = HashSet::new();
        for name in names {
            self.require(seen.insert(name), Rule::Names, || {
                format!("there are two {what}s called {}", quoted(name))
            });
        }
    }

    fn positions(&mut self) {
        let program = self.program;
        for (index, loc) in program.locs.iter().enumerate() {
            let file = (loc.file as usize) < program.files.len();
            self.require(file, Rule::Positions, || {
                format!("position {index} is in file {}, which does not exist", loc.file)
            });
            self.position(loc.inlined_at);
        }
        if let Some(index) = self.inlining_cycle() {
            self.error(Rule::Positions, format!("position {index} is inlined into itself"));
        }
    }

    /// A position whose chain of inlining returns to it. Each position is walked once: a chain
    /// stops at a position that an earlier walk has visited.
    fn inlining_cycle(&self) -> Option<usize> {
        let locs = &self.program.locs;
        let mut walk = vec![usize::MAX; locs.len()];
        for start in 0..locs.len() {
            let mut at = start;
            while walk[at] == usize::MAX {
                walk[at] = start;
                let next = locs[at].inlined_at;
                if next == LocId::NONE || next.0 as usize >= locs.len() {
                    break;
                }
                at = next.0 as usize;
                if walk[at] == start {
                    return Some(at);
                }
            }
        }
        None
    }

    fn global(&mut self, global: &Global) {
        let name = &global.name;
        self.require(global.size <= MAX_OBJECT_SIZE, Rule::Sizes, || {
            format!("the global @{name} has {} bytes", global.size)
        });
        self.source_type(global.ty);
        self.alignment(global.align);
        self.require(!global.private || global.thread_local, Rule::PrivateGlobals, || {
            format!("the global @{name} is private but not thread-local")
        });
        self.require(global.init.len() as u64 <= global.size, Rule::InitialBytes, || {
            format!("the global @{name} has {} initial bytes", global.init.len())
        });
        for (offset, to) in &global.relocs {
            let address = matches!(to, Operand::Global(..) | Operand::Func(_));
            self.require(address && !self.is_thread_local(*to), Rule::Relocations, || {
                format!("the relocation at {offset} of @{name} is not a fixed address")
            });
            self.constant(*to, Some(Type::Ptr));
            let inside = offset.checked_add(ADDRESS_BYTES).is_some_and(|end| end <= global.size);
            self.require(inside, Rule::Relocations, || {
                format!("the relocation at {offset} is not inside @{name}")
            });
        }
        let mut offsets: Vec<u64> = global.relocs.iter().map(|(offset, _)| *offset).collect();
        offsets.sort_unstable();
        let overlap = offsets.windows(2).any(|pair| pair[1] - pair[0] < ADDRESS_BYTES);
        self.require(!overlap, Rule::Relocations, || format!("relocations of @{name} overlap"));
    }

    pub(super) fn alignment(&mut self, align: u32) {
        let holds = align.is_power_of_two() && u64::from(align) <= MAX_OBJECT_SIZE;
        self.require(holds, Rule::Alignments, || format!("an alignment of {align}"));
    }

    fn thread(&mut self, thread: &InitThread) {
        let InitThread { name, func, args } = thread;
        let Some(function) = self.program.funcs.get(*func) else {
            return self.error(
                Rule::References,
                format!("thread {name} runs {func}, which does not exist"),
            );
        };
        self.at = At { loc: function.loc, ..At::default() };
        self.require(!function.blocks.is_empty(), Rule::Threads, || {
            format!("thread {name} runs @{}, which is not defined", function.name)
        });
        self.require(args.len() == function.params.len(), Rule::Threads, || {
            let (given, wanted) = (args.len(), function.params.len());
            format!("thread {name} has {given} arguments; @{} takes {wanted}", function.name)
        });
        for (arg, param) in args.iter().zip(&function.params) {
            let fixed = !matches!(arg, Operand::Reg(_)) && !self.is_thread_local(*arg);
            self.require(fixed, Rule::Threads, || {
                format!("an argument of thread {name} is not a fixed value")
            });
            self.constant(*arg, function.regs.get(*param).map(|info| info.ty));
        }
        self.thread_result(*func);
        self.at = At::default();
    }

    /// A thread's result is passed in 64 bits.
    pub(super) fn thread_result(&mut self, func: FuncId) {
        let Some(function) = self.program.funcs.get(func) else {
            return;
        };
        self.require(function.ret.is_none_or(|ty| ty.bits() <= 64), Rule::Threads, || {
            format!("@{} runs as a thread but returns more than 64 bits", function.name)
        });
    }

    fn observable(&mut self, observable: &Observable) {
        let name = &observable.name;
        let program = self.program;
        let missing = || format!("the observable {name} names something that does not exist");
        let ty = match observable.what {
            Observed::Reg(thread, reg) => {
                let func = program.threads.get(thread).and_then(|t| program.funcs.get(t.func));
                let Some(info) = func.and_then(|func| func.regs.get(reg)) else {
                    return self.error(Rule::References, missing());
                };
                info.ty
            }
            Observed::Mem { global, offset, ty } => {
                let Some(global) = program.globals.get(global) else {
                    return self.error(Rule::References, missing());
                };
                let end = offset.checked_add(ty.bytes().into());
                let inside = end.is_some_and(|end| end <= global.size);
                self.require(inside && !global.thread_local, Rule::Observables, || {
                    format!("the observable {name} is not inside an object that all threads share")
                });
                ty
            }
        };
        self.width(ty);
        self.require(ty.bits() <= 64, Rule::Observables, || {
            format!("the observable {name} has {} bits", ty.bits())
        });
    }

    fn condition(&mut self, prop: &Prop) {
        if prop.deeper_than(MAX_CONDITION_DEPTH) {
            return self.error(Rule::Conditions, "the condition is nested too deeply");
        }
        for (a, b) in prop.comparisons() {
            self.term(*a);
            self.term(*b);
        }
    }

    fn term(&mut self, term: Term) {
        match term {
            Term::Int(_) => {}
            Term::Observable(id) => {
                let exists = self.program.observables.is_valid(id);
                self.require(exists, Rule::References, || format!("{id} does not exist"));
            }
            Term::Global(id, offset) => {
                let operand = Operand::Global(id, offset);
                self.constant(operand, Some(Type::Ptr));
                let fixed = !self.is_thread_local(operand);
                self.require(fixed, Rule::Conditions, || {
                    "the condition names the address of a thread-local global".to_owned()
                });
            }
        }
    }
}
