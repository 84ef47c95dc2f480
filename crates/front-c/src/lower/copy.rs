//! Copies and fills of whole objects: `memcpy`, `memmove`, `memset`, arguments passed by value.
//!
//! Each access is as wide as the alignment allows, as a compiler or a C library would do it, and also copies
//! bytes that were never assigned. The alignment is that of the types of both sides. Where a type says nothing,
//! as in `void *`, the address and the size decide when the copy is reached; copies from characters to characters
//! go byte by byte, as programs access those. A few accesses are emitted inline. For many accesses, an unknown
//! size or an unknown alignment, the library has functions with a loop.

use super::function::Lower;
use crate::allocated::is_of_character;
use raddle_ir::{Access, Callee, InstKind as Out, Operand, Order, Type as Scalar};
use raddle_llvm::ast::{Arg, LocalId};

/// The maximum number of accesses that are emitted inline.
const MAX_INLINE: u64 = 8;
/// The widest access, in bytes.
const MAX_WIDTH: u64 = 8;

const RAW: Access = Access { raw: true, ..Access::new(Order::Plain) };

/// An address and its alignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlignedAddress {
    pub addr: Operand,
    /// 1 if nothing is known.
    pub align: u64,
    /// Whether the type says that it is the address of a character.
    pub character: bool,
}

impl AlignedAddress {
    pub(super) fn new(addr: Operand, align: u64) -> AlignedAddress {
        AlignedAddress { addr, align, character: false }
    }
}

/// The width of the accesses to some addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    Known(u64),
    /// The addresses and the size decide when the access is reached.
    AtMost(u64),
}

impl Width {
    fn of(sides: &[AlignedAddress]) -> Width {
        let known = sides.iter().map(|side| side.align).filter(|align| *align > 1);
        let most = width(known.clone().min().unwrap_or(MAX_WIDTH));
        if known.count() == sides.len() {
            Width::Known(most)
        } else if sides.iter().all(|side| side.character) {
            Width::Known(1)
        } else {
            Width::AtMost(most)
        }
    }

    /// The accesses to a known number of bytes, if they are few.
    fn pieces(self, size: Operand) -> Option<Vec<(u64, u64)>> {
        let (Width::Known(width), Operand::Int(size)) = (self, size) else { return None };
        pieces(u64::try_from(size).ok()?, width)
    }
}

/// The accesses that cover `size` bytes: offset and width, wide ones first.
fn pieces(size: u64, width: u64) -> Option<Vec<(u64, u64)>> {
    let (mut at, mut width, mut pieces) = (0, width, Vec::new());
    while at < size {
        while width > size - at {
            width /= 2;
        }
        pieces.push((at, width));
        at += width;
        if pieces.len() as u64 > MAX_INLINE {
            return None;
        }
    }
    Some(pieces)
}

fn width(align: u64) -> u64 {
    match align {
        0 | 1 => 1,
        2 | 3 => 2,
        4..=7 => 4,
        _ => MAX_WIDTH,
    }
}

impl Lower<'_, '_> {
    /// The address in an argument, with the alignment from its attributes.
    pub(super) fn place(&mut self, arg: &Arg) -> AlignedAddress {
        let align = arg.attrs.align.unwrap_or(1);
        let character =
            is_of_character(self.unit, self.body, &self.uses, &self.declared, arg.value);
        AlignedAddress { addr: self.operand(arg.value), align, character }
    }

    /// `size` is an `i64`. With `overlap` the ranges may overlap, as for `memmove`.
    pub(super) fn copy(
        &mut self,
        to: AlignedAddress,
        from: AlignedAddress,
        size: Operand,
        overlap: bool,
    ) {
        let width = Width::of(&[to, from]);
        let to_addr = self.writable(to.addr);
        let Some(pieces) = width.pieces(size) else {
            let name = if overlap { "memmove" } else { "memcpy" };
            return self.call_with_width(name, width, vec![to_addr, from.addr, size]);
        };
        let mut waiting = Vec::new();
        for (at, width) in pieces {
            let ty = Scalar::Int(width as u8 * 8);
            let addr = self.offset(from.addr, at as i64);
            waiting.push((at, ty, self.load_scalar(ty, addr, RAW)));
            if !overlap {
                self.store_pieces(to_addr, &mut waiting);
            }
        }
        self.store_pieces(to_addr, &mut waiting);
    }

    fn store_pieces(&mut self, to: Operand, waiting: &mut Vec<(u64, Scalar, Operand)>) {
        for (at, ty, value) in waiting.drain(..) {
            let addr = self.offset(to, at as i64);
            let access = Access::new(Order::Plain);
            self.push(Out::Store { ty, addr, value, access });
        }
    }

    /// `byte` is an `i8`, `size` an `i64`.
    pub(super) fn fill(&mut self, to: AlignedAddress, byte: Operand, size: Operand) {
        let width = Width::of(&[to]);
        let addr = self.writable(to.addr);
        let (Some(pieces), Operand::Int(byte)) = (width.pieces(size), byte) else {
            return self.call_with_width("memset", width, vec![addr, byte, size]);
        };
        for (at, width) in pieces {
            let ty = Scalar::Int(width as u8 * 8);
            let value = (0..width).fold(0, |bits, _| bits << 8 | (byte & 0xff));
            let addr = self.offset(addr, at as i64);
            let access = Access::new(Order::Plain);
            self.push(Out::Store { ty, addr, value: Operand::Int(value), access });
        }
    }

    /// Calls the function of the library for a width, or the one that finds the width.
    fn call_with_width(&mut self, name: &str, width: Width, mut args: Vec<Operand>) {
        let name = match width {
            Width::Known(width) => format!("raddle.{name}.{width}"),
            Width::AtMost(most) => {
                args.push(Operand::Int(most.into()));
                format!("raddle.{name}")
            }
        };
        self.call_library(&name, args);
    }

    pub(super) fn call_library(&mut self, name: &str, args: Vec<Operand>) {
        match self.asm.library_function(name) {
            Some(id) => self.push(Out::Call { dst: None, callee: Callee::Direct(id), args }),
            None => self.unsupported(format!("{name}, which the library does not have")),
        }
    }

    /// Copies parameters that are passed by value: the function works on its own copy.
    pub(super) fn copy_byval(&mut self) {
        for (index, param) in self.function.params.iter().enumerate() {
            let Some(ty) = param.attrs.byval else {
                continue;
            };
            let local = LocalId::from_u32(index as u32);
            let Some(extent) = self.unit.layout.extent(ty) else {
                self.unsupported("an argument without a size, passed by value");
                continue;
            };
            let align = param.attrs.align.unwrap_or(1).max(extent.align.into());
            let align = align.next_power_of_two().min(1 << 28);
            let from = self.operand(raddle_llvm::ast::Value::Local(local));
            let private = self.asm.source.escapes.is_private(self.symbol, local);
            let size = Operand::Int(extent.size.into());
            let dst = self.fresh(Scalar::Ptr);
            self.push(Out::Alloca { dst, size, align: align as u32, private });
            let to = AlignedAddress::new(dst.into(), align);
            // The caller's object has the alignment of its type, unless the type is packed.
            let from = AlignedAddress::new(from, extent.align.into());
            self.copy(to, from, size, false);
            self.define(Some(local), dst.into());
        }
    }
}
