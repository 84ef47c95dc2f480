//! Lowering of variables: their bytes and the addresses in them.

use super::constant::{Folded, fold};
use super::program::ProgramLowering;
use crate::link::Symbol;
use raddle_ir::verify::MAX_OBJECT_SIZE;
use raddle_ir::{
    Diagnostic, Global, GlobalId, Number, Operand, SourceId, SourceType, Type as Scalar,
};
use raddle_llvm::ast::{ConstId, ConstKind, GlobalKind, GlobalValue, Type, TypeId, Variable};

/// The number of bytes of an external variable of unknown size.
const UNKNOWN_SIZE: u64 = 8;

/// Whether writes to it are errors.
pub(super) fn is_constant(value: &GlobalValue) -> bool {
    matches!(&value.kind, GlobalKind::Variable(variable) if variable.constant && variable.init.is_some())
}

pub(super) fn is_thread_local(value: &GlobalValue) -> bool {
    matches!(&value.kind, GlobalKind::Variable(variable) if variable.thread_local)
}

/// The variable that `symbol` defines, or a zeroed variable if no module defines it.
pub(super) fn lower(
    asm: &mut ProgramLowering<'_>,
    symbol: Symbol,
    id: GlobalId,
) -> Result<Global, Diagnostic> {
    let name = asm.program.globals[id].name.clone();
    let unit = asm.unit(symbol);
    let value = asm.global_value(symbol);
    let GlobalKind::Variable(variable) = &value.kind else {
        return Ok(Global::zeroed(name, UNKNOWN_SIZE, 8));
    };
    let extent = unit.layout.extent(variable.ty);
    let size = match extent.map_or(0, |extent| extent.size) {
        0 if variable.init.is_none() => UNKNOWN_SIZE,
        size => size,
    };
    if size > MAX_OBJECT_SIZE {
        let message = format!("the variable {name} has {size} bytes");
        return Err(Diagnostic::whole_file(&unit.file, message)
            .expected(format!("at most {} MiB", MAX_OBJECT_SIZE >> 20)));
    }
    let align = variable.align.unwrap_or(extent.map_or(1, |extent| extent.align).into());
    let align = align.next_power_of_two().clamp(1, MAX_OBJECT_SIZE) as u32;
    let mut image = Image { unit: symbol.unit, bytes: Vec::new(), relocs: Vec::new() };
    if let Some(init) = variable.init {
        image.write(asm, variable.ty, init, 0).map_err(|why| {
            Diagnostic::whole_file(&unit.file, format!("{why} in the initial value of {name}"))
        })?;
    }
    let mut global = Global::zeroed(name, size, align);
    global.constant = is_constant(value);
    // Constant objects, such as string literals and tables, hardly appear in reports and need no type.
    if !global.constant {
        global.ty = source_type(asm, symbol, variable);
    }
    global.thread_local = variable.thread_local;
    image.bytes.truncate(size as usize);
    while image.bytes.last() == Some(&0) {
        image.bytes.pop();
    }
    global.init = image.bytes;
    global.relocs = image.relocs;
    Ok(global)
}

/// The type of a variable in the source. Without debug information, only its elements are known.
fn source_type(
    asm: &mut ProgramLowering<'_>,
    symbol: Symbol,
    variable: &Variable,
) -> Option<SourceId> {
    if let Some(ty) = asm.source_type(symbol.unit, variable.debug) {
        return Some(ty);
    }
    let unit = asm.unit(symbol);
    let Type::Array { element, .. } = unit.module.ty(variable.ty) else { return None };
    let bytes = unit.layout.extent(*element)?.size;
    let count = unit.layout.extent(variable.ty)?.size.checked_div(bytes)?;
    let element = match unit.layout.scalar(*element) {
        Some(Scalar::Ptr) => SourceType::Pointer,
        Some(Scalar::F32 | Scalar::F64) => {
            SourceType::Scalar { number: Number::Float, bytes: bytes as u32 }
        }
        Some(Scalar::Int(bits)) if u64::from(bits) == 8 * bytes => {
            SourceType::Scalar { number: Number::Signed, bytes: bytes as u32 }
        }
        _ => SourceType::Record { name: String::new(), union: false, bytes, members: Vec::new() },
    };
    let element = asm.sources.add(&mut asm.program, element);
    Some(asm.sources.add(&mut asm.program, SourceType::Array { element, count }))
}

/// The contents of a variable during construction.
struct Image {
    unit: usize,
    bytes: Vec<u8>,
    relocs: Vec<(u64, Operand)>,
}

impl Image {
    /// The recursion is bounded: the parser limits the nesting of types.
    fn write(
        &mut self,
        asm: &mut ProgramLowering<'_>,
        ty: TypeId,
        id: ConstId,
        offset: u64,
    ) -> Result<(), String> {
        let unit = &asm.source.units[self.unit];
        let constant = unit.module.constant(id);
        match &constant.kind {
            ConstKind::Zero | ConstKind::Undef | ConstKind::Poison | ConstKind::Null => Ok(()),
            ConstKind::Bytes(bytes) => {
                self.put(offset, bytes);
                Ok(())
            }
            ConstKind::Aggregate(elements)
                if !matches!(unit.module.ty(ty), Type::Vector { .. }) =>
            {
                for (index, element) in elements.iter().enumerate() {
                    let place = unit.layout.element(&unit.module, ty, index as u64);
                    let (ty, at) = place.ok_or("a part without a size")?;
                    self.write(asm, ty, *element, offset.saturating_add(at))?;
                }
                Ok(())
            }
            _ => self.scalar(asm, ty, id, offset),
        }
    }

    fn scalar(
        &mut self,
        asm: &mut ProgramLowering<'_>,
        ty: TypeId,
        id: ConstId,
        offset: u64,
    ) -> Result<(), String> {
        let unit = &asm.source.units[self.unit];
        let ty = unit.layout.scalar(ty).ok_or("a value of an unsupported type")?;
        match fold(asm, self.unit, id) {
            Folded::Undef => {}
            Folded::Bits(bits) => {
                self.put(offset, &bits.to_le_bytes()[..ty.bytes() as usize]);
            }
            Folded::Address(Operand::Global(id, _), at) => {
                if asm.program.globals[id].thread_local {
                    return Err("the address of a thread-local variable".to_owned());
                }
                self.relocs.push((offset, Operand::Global(id, at)));
            }
            Folded::Address(function, 0) => self.relocs.push((offset, function)),
            Folded::Address(..) => return Err("an address inside a function".to_owned()),
            Folded::Unfit(why) => return Err(why.to_owned()),
        }
        Ok(())
    }

    fn put(&mut self, offset: u64, bytes: &[u8]) {
        if bytes.iter().all(|byte| *byte == 0) {
            return;
        }
        // The whole object has at most MAX_OBJECT_SIZE bytes, and its parts lie inside.
        let start = offset.min(MAX_OBJECT_SIZE) as usize;
        let end = start + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[start..end].copy_from_slice(bytes);
    }
}
