//! Lowering of one function: parameters, blocks, the copies for `phi`, terminators.
//!
//! Registers of the IR are not single-assignment, so a `phi` becomes a register that is assigned on every
//! edge into its block. An edge that needs assignments and is not the only edge out of its block gets its
//! own block. Blocks are visited in reverse postorder, so every value is known before it is used.

use super::program::ProgramLowering;
use super::special::is_atomic;
use super::value::{Operands, Val};
use crate::allocated::{Allocated, allocated, function_given};
use crate::link::{Symbol, Unit};
use crate::promote::{Plan, SlotId};
use crate::shape::Shape;
use crate::uses::{Uses, reachable};
use cranelift_entity::SecondaryMap;
use raddle_ir::{
    self as ir, CallSite, FailKind, FuncId, FunctionBuilder, InstKind as Out, LocId, Operand, Reg,
    SourceId, TerminatorKind, Type as Scalar,
};
use raddle_llvm::ast::{self, BlockId, Body, DebugId, GlobalKind, Inst, InstKind, LocalId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the names of constructors of `std::thread` that take a function begin.
const THREAD_CONSTRUCTOR: &str = "_ZNSt6threadC";

/// The register of a promoted variable, and the register that tells whether it was assigned.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotRegs {
    pub value: Reg,
    pub set: Option<Reg>,
}

/// Whether an instruction begins to throw an exception, by allocating it.
fn throws(unit: &Unit, inst: &Inst) -> bool {
    let (InstKind::Call(call) | InstKind::Invoke { call, .. }) = &inst.kind else { return false };
    let callee = unit.called(&call.callee);
    callee.and_then(|callee| unit.module.symbol(callee)) == Some("__cxa_allocate_exception")
}

pub(super) struct Lower<'a, 'm> {
    pub asm: &'a mut ProgramLowering<'m>,
    pub symbol: Symbol,
    pub id: FuncId,
    /// The index of the unit.
    pub at: usize,
    pub unit: &'m Unit,
    pub function: &'m ast::Function,
    pub body: &'m Body,
    pub uses: Uses,
    pub plan: Plan,
    pub out: FunctionBuilder,
    pub values: SecondaryMap<LocalId, Val>,
    pub slots: SecondaryMap<SlotId, Option<SlotRegs>>,
    /// The hidden parameter of a variadic function.
    pub variadic: Option<Reg>,
    /// The object for the arguments of variadic calls.
    pub area: Option<Reg>,
    pub blocks: SecondaryMap<BlockId, Option<ir::BlockId>>,
    names: FxHashSet<String>,
    /// The types of variables in memory, and of the objects that calls allocate.
    pub declared: FxHashMap<LocalId, DebugId>,
    allocated: Allocated,
    loc: LocId,
}

/// The body of `symbol`, which is defined.
pub(super) fn lower(asm: &mut ProgramLowering<'_>, symbol: Symbol, id: FuncId) -> ir::Function {
    let declared = asm.program.funcs[id].clone();
    let unit = asm.unit(symbol);
    let GlobalKind::Function(function) = &asm.global_value(symbol).kind else {
        return declared;
    };
    let Some(body) = &function.body else {
        return declared;
    };
    let order = reachable(body, |inst| throws(unit, inst));
    let uses = Uses::new(body);
    let plan = Plan::new(unit, body, &uses, &order);
    let loc = asm.loc(symbol.unit, function.loc);
    if function.loc.is_some_and(|loc| asm.is_foreign(symbol.unit, loc)) {
        asm.foreign.insert(id);
    }
    let types = body.declared.iter().copied().collect();
    let allocated = allocated(unit, body, &uses);
    let mut lower = Lower {
        asm,
        symbol,
        id,
        at: symbol.unit,
        unit,
        function,
        body,
        uses,
        plan,
        out: FunctionBuilder::new(declared.name),
        values: SecondaryMap::new(),
        slots: SecondaryMap::new(),
        variadic: None,
        area: None,
        blocks: SecondaryMap::new(),
        names: FxHashSet::default(),
        declared: types,
        allocated,
        loc,
    };
    lower.values.resize(body.locals.len());
    lower.parameters();
    lower.make_blocks(&order);
    lower.prologue(&order);
    order.iter().for_each(|block| lower.block(*block));
    let mut function = lower.out.finish();
    function.ret = declared.ret;
    function.loc = loc;
    function
}

impl Lower<'_, '_> {
    // ---- the start ----

    fn parameters(&mut self) {
        let mut registers = Vec::new();
        for (index, param) in self.function.params.iter().enumerate() {
            let local = LocalId::from_u32(index as u32);
            let shape = Shape::of(self.unit, param.ty);
            if let Some(ty) = shape.register() {
                let name = self.local_name(local);
                let reg = self.out.param(name.as_deref(), ty);
                registers.push((local, shape, reg));
            } else {
                self.define_undefined(Some(local));
            }
        }
        if self.function.varargs && !registers.is_empty() {
            let name = self.free_name("...");
            self.variadic = Some(self.out.param(name.as_deref(), Scalar::Ptr));
        }
        self.out.at(self.loc);
        for (local, shape, reg) in registers {
            match shape {
                Shape::Packed { leaves, ty } => {
                    let parts = self.unpack(&leaves, ty, reg.into());
                    self.define_parts(Some(local), &parts);
                }
                Shape::Scalar(_) => self.define(Some(local), reg.into()),
                Shape::Nothing | Shape::Unfit => self.define_undefined(Some(local)),
            }
        }
    }

    fn make_blocks(&mut self, order: &[BlockId]) {
        for (index, block) in order.iter().enumerate() {
            let made = if index == 0 {
                self.out.current()
            } else {
                let name = self.body.blocks[*block].name.map(|id| self.unit.module.name(id));
                let name = name.filter(|name| *name != "entry");
                self.out.block(name)
            };
            self.blocks[*block] = Some(made);
            let insts = self.body.insts(*block);
            insts.iter().take_while(|inst| is_phi(inst)).for_each(|inst| self.make_phi(inst));
        }
    }

    fn make_phi(&mut self, inst: &Inst) {
        let Some(result) = inst.result else {
            return;
        };
        let leaves = self.leaves(self.body.locals[result].ty).unwrap_or_default();
        let parts: Operands = leaves.iter().map(|leaf| self.fresh(leaf.ty).into()).collect();
        self.define_parts(Some(result), &parts);
    }

    /// Emits the code before the first instruction.
    fn prologue(&mut self, order: &[BlockId]) {
        if self.is_atomic() {
            self.call_library("__VERIFIER_atomic_begin", Vec::new());
        }
        self.copy_byval();
        self.make_area(order);
        for slot in self.plan.slots.keys() {
            self.make_slot(slot);
        }
    }

    fn make_slot(&mut self, id: SlotId) {
        let slot = self.plan.slots[id].clone();
        let param = slot.param.map(|param| self.values[param].clone());
        if let Some(Val::One(Operand::Reg(value))) = param {
            self.slots[id] = Some(SlotRegs { value, set: None });
            return;
        }
        let name = self.variable_name(slot.alloca);
        let value = self.out.reg(name.as_deref(), slot.ty);
        let set = slot.checked.then(|| {
            let name = name.and_then(|name| self.free_name(&format!("{name}.set")));
            let set = self.out.reg(name.as_deref(), Scalar::BOOL);
            self.assign(Scalar::BOOL, set, Operand::Int(0));
            set
        });
        if slot.open {
            self.assign(slot.ty, value, Operand::Int(0));
        }
        self.slots[id] = Some(SlotRegs { value, set });
    }

    // ---- names ----

    fn local_name(&mut self, local: LocalId) -> Option<String> {
        let name = self.body.locals[local].name.map(|id| self.unit.module.name(id))?;
        self.free_name(name)
    }

    /// `x` for the variable that stores a parameter `x` (`x.addr`).
    pub(super) fn variable_name(&mut self, alloca: LocalId) -> Option<String> {
        let name = self.body.locals[alloca].name.map(|id| self.unit.module.name(id))?;
        let plain = name.strip_suffix(".addr").unwrap_or(name);
        self.free_name(plain).or_else(|| self.free_name(name))
    }

    /// The name of a variable in messages.
    pub(super) fn source_name(&self, alloca: LocalId) -> &str {
        let name = self.body.locals[alloca].name.map(|id| self.unit.module.name(id));
        name.map_or("a variable", |name| name.strip_suffix(".addr").unwrap_or(name))
    }

    fn free_name(&mut self, name: &str) -> Option<String> {
        self.names.insert(name.to_owned()).then(|| name.to_owned())
    }

    /// The type in the source of the variable at an address.
    pub(super) fn variable_type(&mut self, alloca: LocalId) -> Option<SourceId> {
        let declared = self.declared.get(&alloca).copied();
        self.asm.source_type(self.at, declared)
    }

    /// Records the type of the objects that a call allocates.
    fn note_allocation(&mut self, inst: &Inst, loc: LocId) {
        let allocated = inst.result.and_then(|result| self.allocated.get(&result)).copied();
        if let Some(ty) = self.asm.source_type(self.at, allocated) {
            self.asm.allocates(CallSite { func: self.id, at: loc }, ty);
        }
    }

    /// Records which function a call of a constructor of `std::thread` is given.
    fn note_start(&mut self, inst: &Inst, loc: LocId) {
        let (InstKind::Call(call) | InstKind::Invoke { call, .. }) = &inst.kind else { return };
        let callee = self.unit.called(&call.callee);
        let name = callee.and_then(|callee| self.unit.module.symbol(callee)).unwrap_or("");
        if !name.starts_with(THREAD_CONSTRUCTOR) {
            return;
        }
        let Some(given) = call.args.get(1) else { return };
        if let Some(global) = function_given(self.unit, self.body, &self.uses, given.value) {
            let symbol = self.asm.definition(Symbol { unit: self.at, global });
            let func = self.asm.function(symbol);
            self.asm.starts(CallSite { func: self.id, at: loc }, func);
        }
    }

    // ---- blocks ----

    fn block(&mut self, block: BlockId) {
        let Some(made) = self.blocks[block] else {
            return;
        };
        self.out.switch_to(made);
        let body = self.body;
        for index in body.blocks[block].insts.clone() {
            let inst = &body.insts[index as usize];
            if inst.loc.is_some() {
                let loc = self.asm.loc(self.at, inst.loc);
                self.out.at(loc);
                self.note_allocation(inst, loc);
                self.note_start(inst, loc);
            }
            if throws(self.unit, inst) {
                return self.dead_end("an exception is thrown; exceptions are not modelled");
            }
            if inst.kind.is_terminator() {
                self.terminator(block, inst);
            } else if !is_phi(inst) {
                self.instruction(index, inst);
            }
        }
    }

    fn terminator(&mut self, from: BlockId, inst: &Inst) {
        match &inst.kind {
            InstKind::Ret(value) => self.ret(*value),
            InstKind::Br(to) => self.jump(from, *to),
            InstKind::CondBr { cond, then, otherwise } => {
                let cond = self.operand(*cond);
                let (then, els) = (self.edge(from, *then), self.edge(from, *otherwise));
                self.out.end(TerminatorKind::Branch { cond, then, els });
            }
            InstKind::Switch { value, default, cases } => {
                self.switch(from, *value, *default, cases);
            }
            InstKind::Invoke { call, normal, .. } => {
                self.call(call, inst.result);
                self.jump(from, *normal);
            }
            InstKind::CallBr { fallthrough, .. } => {
                self.reject(inst.result, "inline assembly that jumps (asm goto)");
                self.jump(from, *fallthrough);
            }
            InstKind::Unreachable => self.out.end(TerminatorKind::Unreachable),
            InstKind::IndirectBr { address, targets } => self.computed(from, *address, targets),
            _ => self.dead_end("an exception that is handled"),
        }
    }

    pub(super) fn dead_end(&mut self, what: &str) {
        self.unsupported(what);
        self.out.end(TerminatorKind::Unreachable);
    }

    fn ret(&mut self, value: Option<Value>) {
        let value = match (Shape::of(self.unit, self.function.ret), value) {
            (Shape::Scalar(_), Some(value)) => Some(self.operand(value)),
            (Shape::Packed { leaves, ty }, Some(value)) => {
                let parts = self.parts(value);
                Some(self.pack(&leaves, ty, &parts))
            }
            (Shape::Unfit, _) => {
                self.unsupported("returning an aggregate of more than 16 bytes as a value");
                None
            }
            _ => None,
        };
        if self.is_atomic() {
            self.call_library("__VERIFIER_atomic_end", Vec::new());
        }
        self.out.ret(value);
    }

    fn is_atomic(&self) -> bool {
        is_atomic(self.asm.name(self.symbol))
    }

    // ---- promoted variables ----

    /// Emits a check that fails unless the register is set.
    pub(super) fn check_assigned(&mut self, set: Reg, name: &str) {
        let (fine, bad) = (self.out.block(None), self.out.block(None));
        self.out.branch(set, fine, bad);
        self.out.switch_to(bad);
        let message = format!("reads {name}, which was not assigned");
        self.push(Out::Fail { kind: FailKind::Uninitialised, message });
        self.out.end(TerminatorKind::Unreachable);
        self.out.switch_to(fine);
    }

    /// One arm for each instruction.
    fn instruction(&mut self, index: u32, inst: &Inst) {
        let result = inst.result;
        match &inst.kind {
            InstKind::FNeg(arg) => self.fneg(result, *arg),
            InstKind::Binary { op, lhs, rhs, .. } => self.binary(result, *op, *lhs, *rhs),
            // The address of a variable that has become a register.
            InstKind::Cast { arg, .. } if self.plan.slot(*arg).is_some() => {}
            InstKind::Cast { op, arg, .. } => self.conversion(result, *op, *arg),
            InstKind::ICmp { pred, lhs, rhs } => self.icmp(result, *pred, *lhs, *rhs),
            InstKind::FCmp { pred, lhs, rhs } => self.fcmp(result, *pred, *lhs, *rhs),
            InstKind::Select { cond, then, otherwise } => {
                self.choose(result, *cond, *then, *otherwise);
            }
            InstKind::Freeze(arg) => {
                let parts = self.parts(*arg);
                self.define_parts(result, &parts);
            }
            InstKind::Alloca { ty, count, align, .. } => self.alloca(result, *ty, *count, *align),
            InstKind::Load { .. } => self.load(index, inst),
            InstKind::Store { .. } => self.store(index, inst),
            InstKind::Fence(atomic) => self.fence(*atomic),
            InstKind::CmpXchg(exchange) => self.cmpxchg(result, exchange),
            InstKind::AtomicRmw { op, ptr, value, volatile, atomic, .. } => {
                self.rmw(result, *op, *ptr, *value, *volatile, *atomic);
            }
            InstKind::Gep { source, base, indices, .. } => {
                self.gep(result, *source, *base, indices);
            }
            InstKind::Call(call) => self.call(call, result),
            InstKind::VaArg { list } => self.va_arg(result, *list),
            InstKind::ExtractElement { vector, index } => {
                self.extract_element(result, *vector, *index);
            }
            InstKind::InsertElement { vector, value, index } => {
                self.insert_element(result, *vector, *value, *index);
            }
            InstKind::ShuffleVector { lhs, rhs, mask } => self.shuffle(result, *lhs, *rhs, *mask),
            InstKind::ExtractValue { aggregate, indices } => {
                self.extract_value(result, *aggregate, indices);
            }
            InstKind::InsertValue { aggregate, value, indices } => {
                self.insert_value(result, *aggregate, *value, indices);
            }
            // Terminators and `phi` are handled elsewhere; the remaining instructions handle exceptions.
            _ => self.reject(result, "an exception that is handled"),
        }
    }
}

pub(super) fn is_phi(inst: &Inst) -> bool {
    matches!(inst.kind, InstKind::Phi { .. })
}
