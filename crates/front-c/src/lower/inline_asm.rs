//! Lowering of the inline assembly that [`crate::inline_asm`] supports.

use super::function::Lower;
use crate::inline_asm::{AsmOperand, Constraint, Flag, Register, Step, constraints, steps};
use raddle_ir::{
    Access, BinOp, FenceKind, InstKind as Out, IntPred, Operand, Order, RmwOp, Type as Scalar,
};
use raddle_llvm::ast::{Call, InlineAsm, LocalId};

/// Locked instructions of a machine are also fences.
const LOCKED: Access = Access::new(Order::SeqCst);

/// An operand of the assembly.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The value of an input, the current value of an output, or the address of a memory operand.
    value: Option<Operand>,
    ty: Scalar,
    memory: bool,
    register: Option<Register>,
    output: bool,
    flag: Option<Flag>,
}

/// The relevant state of the processor.
struct State {
    slots: Vec<Slot>,
    /// The flags, each an `i1`.
    zero: Option<Operand>,
    carry: Option<Operand>,
}

impl Lower<'_, '_> {
    pub(super) fn inline_assembly(
        &mut self,
        asm: &InlineAsm,
        call: &Call,
        result: Option<LocalId>,
    ) {
        let steps = if asm.intel_dialect { None } else { steps(&asm.template) };
        self.asm.machines.extend(steps.iter().flatten().filter_map(Step::machine));
        let done = steps.and_then(|steps| self.run(&steps, asm, call, result));
        if done.is_none() {
            let text = asm.template.split_whitespace().collect::<Vec<_>>().join(" ");
            self.reject(result, format!("inline assembly: {text}"));
        }
    }

    fn run(
        &mut self,
        steps: &[Step],
        asm: &InlineAsm,
        call: &Call,
        result: Option<LocalId>,
    ) -> Option<()> {
        let constraints = constraints(&asm.constraints);
        let slots = self.slots_of(&constraints, call, result)?;
        let mut state = State { slots, zero: None, carry: None };
        if steps.is_empty() && asm.side_effects {
            self.push(Out::Fence { kind: FenceKind::Compiler });
        }
        for step in steps {
            self.step(step, &mut state)?;
        }
        self.outputs(&state, result)
    }

    fn slots_of(
        &mut self,
        constraints: &[Constraint],
        call: &Call,
        result: Option<LocalId>,
    ) -> Option<Vec<Slot>> {
        let leaves = match result {
            Some(result) => self.leaves(self.body.locals[result].ty)?,
            None => Default::default(),
        };
        let (mut leaves, mut args) = (leaves.into_iter(), call.args.iter());
        let mut slots: Vec<Slot> = Vec::with_capacity(constraints.len());
        for constraint in constraints {
            let Constraint { output, indirect, register, flag, tied } = *constraint;
            let (value, ty) = if output && !indirect {
                (None, leaves.next()?.ty)
            } else {
                let arg = args.next()?;
                (Some(self.operand(arg.value)), self.scalar_of(arg.value)?)
            };
            if let Some(place) = tied.and_then(|index| slots.get_mut(index)) {
                let target = place.ty;
                if !place.memory {
                    place.value = value.map(|value| self.coerce(ty, target, value));
                }
            }
            slots.push(Slot { value, ty, memory: indirect, register, output, flag });
        }
        Some(slots)
    }

    fn outputs(&mut self, state: &State, result: Option<LocalId>) -> Option<()> {
        let mut parts = Vec::new();
        for slot in state.slots.iter().filter(|slot| slot.output && !slot.memory) {
            let value = match slot.flag {
                Some(flag) => {
                    let flag = self.flag(state, flag)?;
                    self.coerce(Scalar::BOOL, slot.ty, flag)
                }
                None => slot.value.unwrap_or(Operand::Undef),
            };
            parts.push(value);
        }
        self.define_parts(result, &parts);
        Some(())
    }

    fn flag(&mut self, state: &State, flag: Flag) -> Option<Operand> {
        let (set, negated) = match flag {
            Flag::Zero => (state.zero?, false),
            Flag::NotZero => (state.zero?, true),
            Flag::Carry => (state.carry?, false),
            Flag::NotCarry => (state.carry?, true),
        };
        Some(match negated {
            false => set,
            true => self.bin(BinOp::Xor, Scalar::BOOL, set, Operand::Int(1)),
        })
    }

    fn step(&mut self, step: &Step, state: &mut State) -> Option<()> {
        match step {
            Step::Fence(kind) => self.push(Out::Fence { kind: *kind }),
            Step::Yield => self.push(Out::Yield),
            Step::Move { source, target, bits } => self.transfer(state, source, target, *bits)?,
            Step::Rmw { op, source, memory, bits, old } => {
                // The operands of `xchg` may come in either order.
                let swapped = *op == RmwOp::Xchg && is_memory(state, source);
                let (source, memory) = if swapped { (memory, source) } else { (source, memory) };
                let old = match (old, swapped, source) {
                    (Some(_), true, AsmOperand::Operand(index)) => Some(*index),
                    _ => *old,
                };
                self.modify(state, *op, source, memory, *bits, old)?;
            }
            Step::CmpXchg { new, memory, bits } => self.exchange(state, new, memory, *bits)?,
            Step::CmpXchgPair { memory, bits } => self.exchange_pair(state, memory, *bits)?,
            Step::Bit { op, index, memory, bits } => self.bit(state, *op, index, memory, *bits)?,
            Step::Set { flag, to, ones } => {
                let flag = self.flag(state, *flag)?;
                self.set_flag(state, flag, *to, *ones)?;
            }
        }
        Some(())
    }

    /// `sete` writes one byte of memory, or a register.
    fn set_flag(&mut self, state: &mut State, flag: Operand, to: usize, ones: bool) -> Option<()> {
        let slot = *state.slots.get(to)?;
        let ty = if slot.memory { Scalar::I8 } else { slot.ty };
        let mut value = self.coerce(Scalar::BOOL, ty, flag);
        if ones {
            value = self.bin(BinOp::Sub, ty, Operand::Int(0), value);
        }
        if slot.memory {
            let addr = self.memory(state, &AsmOperand::Operand(to))?;
            let access = Access::new(Order::Plain);
            self.push(Out::Store { ty, addr, value, access });
        } else {
            state.slots[to].value = Some(value);
        }
        Some(())
    }

    /// The address of a memory operand.
    fn memory(&mut self, state: &State, place: &AsmOperand) -> Option<Operand> {
        let (index, memory) = match place {
            AsmOperand::Operand(index) => (*index, true),
            AsmOperand::Pointed(index) => (*index, false),
            _ => return None,
        };
        let slot = state.slots.get(index)?;
        let address = slot.value.filter(|_| slot.memory == memory && slot.ty == Scalar::Ptr)?;
        Some(self.writable(address))
    }

    /// The value of an operand, as an integer of type `ty`.
    fn source(&mut self, state: &State, place: &AsmOperand, ty: Scalar) -> Option<Operand> {
        match place {
            AsmOperand::Immediate(value) => Some(Operand::Int(*value as u128 & ty.mask())),
            AsmOperand::Operand(index) => {
                let slot = *state.slots.get(*index)?;
                let value = slot.value.filter(|_| !slot.memory)?;
                Some(self.coerce(slot.ty, ty, value))
            }
            _ => None,
        }
    }

    /// The width according to the suffix, or else according to the register.
    fn width(&self, state: &State, bits: Option<u8>, source: &AsmOperand) -> Option<Scalar> {
        match (bits, source) {
            (Some(bits), _) => Some(Scalar::Int(bits)),
            (None, AsmOperand::Operand(index)) => {
                Some(Scalar::Int(state.slots.get(*index)?.ty.bits() as u8))
            }
            _ => None,
        }
    }

    fn set(&mut self, state: &mut State, index: usize, ty: Scalar, value: Operand) -> Option<()> {
        let target = state.slots.get(index)?.ty;
        let value = self.coerce(ty, target, value);
        state.slots.get_mut(index)?.value = Some(value);
        Some(())
    }

    /// Ordinary accesses of a machine: compilers may not merge or drop them, and they are not fences.
    fn transfer(
        &mut self,
        state: &mut State,
        source: &AsmOperand,
        target: &AsmOperand,
        bits: Option<u8>,
    ) -> Option<()> {
        let access = Access::new(Order::Asm);
        let (from_memory, to_memory) = (is_memory(state, source), is_memory(state, target));
        let ty = self.width(state, bits, if from_memory { target } else { source })?;
        let value = if from_memory {
            let addr = self.memory(state, source)?;
            self.load_scalar(ty, addr, access)
        } else {
            self.source(state, source, ty)?
        };
        match target {
            _ if to_memory => {
                let addr = self.memory(state, target)?;
                self.push(Out::Store { ty, addr, value, access });
                Some(())
            }
            AsmOperand::Operand(index) => self.set(state, *index, ty, value),
            _ => None,
        }
    }

    fn modify(
        &mut self,
        state: &mut State,
        op: RmwOp,
        source: &AsmOperand,
        memory: &AsmOperand,
        bits: Option<u8>,
        old: Option<usize>,
    ) -> Option<()> {
        let ty = self.width(state, bits, source)?;
        let addr = self.memory(state, memory)?;
        let value = self.source(state, source, ty)?;
        let dst = self.fresh(ty);
        self.push(Out::Rmw { op, ty, dst, addr, value, access: LOCKED, when: None });
        let same = match op {
            RmwOp::Add => Some(BinOp::Add),
            RmwOp::Sub => Some(BinOp::Sub),
            RmwOp::And => Some(BinOp::And),
            RmwOp::Or => Some(BinOp::Or),
            RmwOp::Xor => Some(BinOp::Xor),
            _ => None,
        };
        if let Some(op) = same {
            let new = self.bin(op, ty, dst.into(), value);
            state.zero = Some(self.cmp(IntPred::Eq, ty, new, Operand::Int(0)));
        }
        match old {
            Some(index) => self.set(state, index, ty, dst.into()),
            None => Some(()),
        }
    }

    fn exchange(
        &mut self,
        state: &mut State,
        new: &AsmOperand,
        memory: &AsmOperand,
        bits: Option<u8>,
    ) -> Option<()> {
        let ty = self.width(state, bits, new)?;
        let addr = self.memory(state, memory)?;
        let new = self.source(state, new, ty)?;
        let expected = self.register(state, Register::A, ty)?;
        let (dst, ok) = (self.fresh(ty), self.fresh(Scalar::BOOL));
        let (weak, success, failure) = (false, LOCKED, Order::SeqCst);
        self.push(Out::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure });
        state.zero = Some(ok.into());
        self.set_register(state, Register::A, ty, dst.into())
    }

    fn exchange_pair(&mut self, state: &mut State, memory: &AsmOperand, bits: u8) -> Option<()> {
        let (half, ty) = (Scalar::Int(bits), Scalar::Int(bits * 2));
        let shift = Operand::Int(bits.into());
        let addr = self.memory(state, memory)?;
        let mut pair = |high, low| {
            let high = self.register(state, high, half)?;
            let low = self.register(state, low, half)?;
            let (high, low) = (self.coerce(half, ty, high), self.coerce(half, ty, low));
            let high = self.bin(BinOp::Shl, ty, high, shift);
            Some(self.bin(BinOp::Or, ty, high, low))
        };
        let expected = pair(Register::D, Register::A)?;
        let new = pair(Register::C, Register::B)?;
        let (dst, ok) = (self.fresh(ty), self.fresh(Scalar::BOOL));
        let (weak, success, failure) = (false, LOCKED, Order::SeqCst);
        self.push(Out::CmpXchg { ty, dst, ok, addr, expected, new, weak, success, failure });
        state.zero = Some(ok.into());
        let low = self.coerce(ty, half, dst.into());
        let high = self.bin(BinOp::LShr, ty, dst.into(), shift);
        let high = self.coerce(ty, half, high);
        self.set_register(state, Register::A, half, low)?;
        self.set_register(state, Register::D, half, high)
    }

    /// The value of a register, if it is an operand.
    fn register(&mut self, state: &State, register: Register, ty: Scalar) -> Option<Operand> {
        let has = |slot: &Slot| slot.register == Some(register) && slot.value.is_some();
        let index = state.slots.iter().position(has)?;
        self.source(state, &AsmOperand::Operand(index), ty)
    }

    /// Writes a register. That has no effect unless the register is an output.
    fn set_register(
        &mut self,
        state: &mut State,
        register: Register,
        ty: Scalar,
        value: Operand,
    ) -> Option<()> {
        let is_output = |slot: &Slot| slot.register == Some(register) && slot.output;
        match state.slots.iter().position(is_output) {
            Some(index) => self.set(state, index, ty, value),
            None => Some(()),
        }
    }

    fn bit(
        &mut self,
        state: &mut State,
        op: RmwOp,
        index: &AsmOperand,
        memory: &AsmOperand,
        bits: Option<u8>,
    ) -> Option<()> {
        let ty = self.width(state, bits, index)?;
        let addr = self.memory(state, memory)?;
        // An index in a register that exceeds the width would address other memory; an immediate index wraps.
        let index = match index {
            AsmOperand::Immediate(value) => Operand::Int(*value as u128 % u128::from(ty.bits())),
            other => {
                let index = self.source(state, other, ty)?;
                let fits = self.cmp(IntPred::Ult, ty, index, Operand::Int(ty.bits().into()));
                self.push(Out::Assert { cond: fits, message: "the bit is inside its word".into() });
                index
            }
        };
        let one = self.bin(BinOp::Shl, ty, Operand::Int(1), index);
        let value = match op {
            RmwOp::And => self.bin(BinOp::Xor, ty, one, Operand::Int(ty.mask())),
            _ => one,
        };
        let dst = self.fresh(ty);
        self.push(Out::Rmw { op, ty, dst, addr, value, access: LOCKED, when: None });
        let old = self.bin(BinOp::And, ty, dst.into(), one);
        state.carry = Some(self.cmp(IntPred::Ne, ty, old, Operand::Int(0)));
        Some(())
    }
}

fn is_memory(state: &State, place: &AsmOperand) -> bool {
    match place {
        AsmOperand::Operand(index) => state.slots.get(*index).is_some_and(|slot| slot.memory),
        AsmOperand::Pointed(_) => true,
        _ => false,
    }
}
