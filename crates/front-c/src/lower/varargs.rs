//! Variadic functions.
//!
//! The caller stores variadic arguments into slots of eight bytes, in an object of its own frame, and
//! passes the address of that object. On x86-64, clang expands `va_arg` to code over the platform's
//! `va_list`; `va_start` fills the list so that this code always takes the next argument from memory
//! (`overflow_arg_area`), never from saved registers. 64-bit ARM works the same way with its own
//! structure. If `va_list` is a plain pointer, it points to the next slot.

use super::copy::AlignedAddress;
use super::function::Lower;
use raddle_ir::{Access, BinOp, CastOp, InstKind as Out, Operand, Order, Type as Scalar};
use raddle_llvm::ast::{Arg, BlockId, InstKind, LocalId, Type, Value};

const SLOT: u64 = 8;
/// Offsets that mean: all registers with arguments are used up.
const GP_USED_UP: u128 = 48;
const FP_USED_UP: u128 = 176;

const PLAIN: Access = Access::new(Order::Plain);

/// The form of the platform's `va_list`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ListKind {
    /// `{ i32 gp_offset, i32 fp_offset, ptr overflow_arg_area, ptr reg_save_area }`.
    X86_64,
    /// `{ ptr stack, ptr gr_top, ptr vr_top, i32 gr_offs, i32 vr_offs }`.
    Aarch64,
    Pointer,
}

impl ListKind {
    fn of(triple: &str) -> ListKind {
        let apple = triple.contains("apple") || triple.contains("darwin");
        let windows = triple.contains("windows") || triple.contains("win32");
        match triple.split('-').next().unwrap_or("") {
            "x86_64" | "amd64" | "" if !windows => ListKind::X86_64,
            "aarch64" | "arm64" if !apple && !windows => ListKind::Aarch64,
            _ => ListKind::Pointer,
        }
    }

    const fn size(self) -> u64 {
        match self {
            ListKind::X86_64 => 24,
            ListKind::Aarch64 => 32,
            ListKind::Pointer => 8,
        }
    }

    /// The offset at which the list stores the address of the next argument in memory.
    const fn next(self) -> i64 {
        match self {
            ListKind::X86_64 => 8,
            ListKind::Aarch64 | ListKind::Pointer => 0,
        }
    }
}

impl Lower<'_, '_> {
    fn list_kind(&self) -> ListKind {
        ListKind::of(self.unit.module.triple.map_or("", |id| self.unit.module.name(id)))
    }

    /// The slots of an argument: the first slot, given that slots before `at` are used, and their number.
    fn slots(&self, arg: &Arg, at: u64) -> (u64, u64) {
        let ty = arg.attrs.byval.or_else(|| self.type_of(arg.value));
        let extent = ty.and_then(|ty| self.unit.layout.extent(ty));
        let (size, align) = extent.map_or((SLOT, 1), |extent| (extent.size, extent.align));
        let align = arg.attrs.align.unwrap_or(1).max(align.into());
        let start = if align > SLOT { at.next_multiple_of(2) } else { at };
        (start, size.div_ceil(SLOT).max(1))
    }

    fn slots_of_all(&self, args: &[Arg]) -> u64 {
        args.iter().fold(0, |at, arg| {
            let (start, count) = self.slots(arg, at);
            start.saturating_add(count)
        })
    }

    /// Creates one object for the arguments of all variadic calls of the function: arguments are written
    /// right before a call, and are not needed after it.
    pub(super) fn make_area(&mut self, order: &[BlockId]) {
        let mut slots = 0;
        for block in order {
            for inst in self.body.insts(*block) {
                let call = match &inst.kind {
                    InstKind::Call(call) | InstKind::Invoke { call, .. } => call,
                    _ => continue,
                };
                if matches!(self.unit.module.ty(call.ty), Type::Func { varargs: true, .. }) {
                    slots = slots.max(self.slots_of_all(&call.args));
                }
            }
        }
        if slots > 0 {
            let dst = self.fresh(Scalar::Ptr);
            let size = Operand::Int(u128::from(slots) * u128::from(SLOT));
            self.push(Out::Alloca { dst, size, align: 16, private: true });
            self.area = Some(dst);
        }
    }

    /// Writes the arguments and returns their address.
    pub(super) fn variadic_arguments(&mut self, args: &[Arg]) -> Operand {
        let Some(area) = self.area.filter(|_| !args.is_empty()) else {
            return Operand::Int(0);
        };
        let mut at = 0;
        for arg in args {
            let (start, count) = self.slots(arg, at);
            at = start + count;
            let addr = self.offset(area.into(), (start * SLOT) as i64);
            self.put_argument(addr, arg);
        }
        area.into()
    }

    fn put_argument(&mut self, addr: Operand, arg: &Arg) {
        if let Some(extent) = arg.attrs.byval.and_then(|ty| self.unit.layout.extent(ty)) {
            let from = AlignedAddress::new(self.operand(arg.value), extent.align.into());
            let to = AlignedAddress::new(addr, SLOT);
            return self.copy(to, from, Operand::Int(extent.size.into()), false);
        }
        let Some(passed) = self.pass(arg) else {
            return;
        };
        let (ty, value) = match passed.ty {
            Scalar::F32 => {
                (Scalar::F64, self.cast(CastOp::FpExt, Scalar::F32, Scalar::F64, passed.value))
            }
            Scalar::Int(bits) if bits < 64 => {
                (Scalar::I64, self.cast(CastOp::ZExt, passed.ty, Scalar::I64, passed.value))
            }
            ty => (ty, passed.value),
        };
        self.push(Out::Store { ty, addr, value, access: PLAIN });
    }

    // ---- va_start and its kin ----

    fn put(&mut self, list: Operand, at: i64, ty: Scalar, value: Operand) {
        let addr = self.offset(list, at);
        self.push(Out::Store { ty, addr, value, access: PLAIN });
    }

    pub(super) fn va_start(&mut self, list: &Arg) {
        let list = self.operand(list.value);
        let args = self.variadic.map_or(Operand::Int(0), Operand::Reg);
        match self.list_kind() {
            ListKind::X86_64 => {
                self.put(list, 0, Scalar::I32, Operand::Int(GP_USED_UP));
                self.put(list, 4, Scalar::I32, Operand::Int(FP_USED_UP));
                self.put(list, 8, Scalar::Ptr, args);
                self.put(list, 16, Scalar::Ptr, Operand::Int(0));
            }
            ListKind::Aarch64 => {
                self.put(list, 0, Scalar::Ptr, args);
                self.put(list, 8, Scalar::Ptr, Operand::Int(0));
                self.put(list, 16, Scalar::Ptr, Operand::Int(0));
                self.put(list, 24, Scalar::I32, Operand::Int(0));
                self.put(list, 28, Scalar::I32, Operand::Int(0));
            }
            ListKind::Pointer => self.put(list, 0, Scalar::Ptr, args),
        }
    }

    pub(super) fn va_copy(&mut self, to: &Arg, from: &Arg) {
        let size = Operand::Int(self.list_kind().size().into());
        let [to, from] = [to, from].map(|arg| AlignedAddress::new(self.operand(arg.value), SLOT));
        self.copy(to, from, size, false);
    }

    /// The instruction `va_arg`, which clang emits on targets where it does not expand it.
    pub(super) fn va_arg(&mut self, result: Option<LocalId>, list: Value) {
        let extent = result.and_then(|local| self.unit.layout.extent(self.body.locals[local].ty));
        let leaves = result.and_then(|local| self.leaves(self.body.locals[local].ty));
        let (Some(extent), Some(leaves)) = (extent, leaves) else {
            return self.reject(result, "a variadic argument of a type that no register holds");
        };
        let list = self.operand(list);
        let place = self.offset(list, self.list_kind().next());
        let mut next = self.load_scalar(Scalar::Ptr, place, PLAIN);
        if u64::from(extent.align) > SLOT {
            next = self.align_up(next, extent.align.into());
        }
        let parts = self.load_leaves(&leaves, next, PLAIN);
        let after = self.offset(next, extent.size.next_multiple_of(SLOT) as i64);
        self.put(place, 0, Scalar::Ptr, after);
        self.define_parts(result, &parts);
    }

    fn align_up(&mut self, address: Operand, align: u64) -> Operand {
        let bits = self.bits_of(Scalar::Ptr, address);
        let up = self.bin(BinOp::Add, Scalar::I64, bits, Operand::Int((align - 1).into()));
        let mask = Operand::Int(u128::from(!(align - 1)));
        let down = self.bin(BinOp::And, Scalar::I64, up, mask);
        self.with_bits(Scalar::Ptr, down)
    }
}
