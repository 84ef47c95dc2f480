//! Sizes, alignments and offsets of LLVM types, according to the module's data layout.
//!
//! Only little-endian targets with 64-bit pointers are accepted: the IR has one kind of pointer.
//! Sizes saturate; an object of that size is rejected where it would be created.
//!
//! Every type that fits a register has a *scalar*. Integers, pointers and floats are their own scalar.
//! Types for which the IR has no arithmetic (half, x86_fp80, fp128, short vectors) use an integer of the
//! same number of bits, so that they can at least be loaded, stored, passed and returned. Structures and
//! arrays as values are split into their scalar *leaves*.

use cranelift_entity::SecondaryMap;
use raddle_ir::Diagnostic;
use raddle_ir::Type as Scalar;
use raddle_llvm::ast::{Module, Type, TypeId};
use smallvec::SmallVec;

/// An aggregate with more leaves than this is not supported as a value.
const MAX_LEAVES: usize = 256;

/// The size and alignment of a type in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    /// The distance between consecutive elements of an array.
    pub size: u64,
    pub align: u32,
}

/// A scalar part of an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub offset: u64,
    pub ty: Scalar,
}

pub(crate) type Leaves = SmallVec<[Leaf; 2]>;

#[derive(Debug)]
pub(crate) struct Layout {
    /// `None`: the type has no size.
    extents: SecondaryMap<TypeId, Option<Extent>>,
    scalars: SecondaryMap<TypeId, Option<Scalar>>,
}

/// The alignments that differ between targets, in bytes.
struct Abi {
    i128: u32,
    f80: u32,
    /// The minimum alignment of aggregates.
    aggregate: u32,
}

impl Layout {
    pub(crate) fn of(file: &str, module: &Module) -> Result<Layout, Diagnostic> {
        let text = module.data_layout.map_or("", |id| module.name(id));
        let abi = Abi::parse(file, text)?;
        let mut layout =
            Layout { extents: SecondaryMap::default(), scalars: SecondaryMap::default() };
        let mut known = SecondaryMap::with_default(false);
        for id in module.types.keys() {
            layout.compute(module, &abi, &mut known, id);
        }
        Ok(layout)
    }

    /// The recursion is bounded: the parser limits the nesting of types.
    fn compute(
        &mut self,
        module: &Module,
        abi: &Abi,
        known: &mut SecondaryMap<TypeId, bool>,
        id: TypeId,
    ) -> Option<Extent> {
        if known[id] {
            return self.extents[id];
        }
        known[id] = true;
        let natural = |bytes: u64| Extent { size: bytes, align: bytes as u32 };
        let extent = match module.ty(id) {
            Type::Int(bits) => Some(integer(*bits, abi)),
            Type::Half | Type::BFloat => Some(natural(2)),
            Type::Float => Some(natural(4)),
            Type::Double | Type::X86Mmx | Type::Ptr { .. } => Some(natural(8)),
            Type::X86Fp80 => Some(padded(10, abi.f80)),
            Type::Fp128 | Type::PpcFp128 => Some(natural(16)),
            Type::Array { element, len } => {
                let element = self.compute(module, abi, known, *element);
                element.map(|e| Extent { size: e.size.saturating_mul(*len), align: e.align })
            }
            Type::Vector { element, len, scalable: false } => {
                self.compute(module, abi, known, *element);
                element_bits(module, *element).map(|bits| vector(bits, *len))
            }
            Type::Struct { packed, fields, .. } => {
                let parts: Option<Vec<Extent>> =
                    fields.iter().map(|field| self.compute(module, abi, known, *field)).collect();
                parts.map(|parts| structure(&parts, *packed, abi))
            }
            Type::Void
            | Type::X86Amx
            | Type::Label
            | Type::Token
            | Type::Metadata
            | Type::Vector { .. }
            | Type::Opaque { .. }
            | Type::Func { .. }
            | Type::Target { .. } => None,
        };
        self.extents[id] = extent;
        self.scalars[id] = scalar(module, id);
        extent
    }

    pub(crate) fn extent(&self, ty: TypeId) -> Option<Extent> {
        self.extents[ty]
    }

    /// The register type that can hold a value of this type.
    pub(crate) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.scalars[ty]
    }

    /// Offset of a structure's field.
    pub(crate) fn field(&self, fields: &[TypeId], packed: bool, index: usize) -> Option<u64> {
        let mut offset = 0u64;
        for (at, field) in fields.iter().enumerate() {
            let extent = self.extent(*field)?;
            if !packed {
                offset = round_up(offset, extent.align);
            }
            if at == index {
                return Some(offset);
            }
            offset = offset.saturating_add(extent.size);
        }
        None
    }

    /// The type and offset of element `index` of a structure, array or vector.
    pub(crate) fn element(&self, module: &Module, ty: TypeId, index: u64) -> Option<(TypeId, u64)> {
        match module.ty(ty) {
            Type::Struct { packed, fields, .. } => {
                let index = usize::try_from(index).ok()?;
                Some((*fields.get(index)?, self.field(fields, *packed, index)?))
            }
            Type::Array { element, .. } => {
                Some((*element, self.extent(*element)?.size.saturating_mul(index)))
            }
            Type::Vector { element, scalable: false, .. } => {
                let bits = element_bits(module, *element)?;
                (bits % 8 == 0).then(|| (*element, u64::from(bits / 8).saturating_mul(index)))
            }
            _ => None,
        }
    }

    /// The scalars that a value of this type consists of; `None` if it cannot be split.
    pub(crate) fn leaves(&self, module: &Module, ty: TypeId) -> Option<Leaves> {
        let mut leaves = Leaves::new();
        self.collect(module, ty, 0, &mut leaves)?;
        Some(leaves)
    }

    fn collect(&self, module: &Module, ty: TypeId, offset: u64, leaves: &mut Leaves) -> Option<()> {
        if let Some(ty) = self.scalar(ty) {
            leaves.push(Leaf { offset, ty });
            return (leaves.len() <= MAX_LEAVES).then_some(());
        }
        let count = match module.ty(ty) {
            Type::Struct { fields, .. } => fields.len() as u64,
            Type::Array { len, .. } if *len <= MAX_LEAVES as u64 => *len,
            _ => return None,
        };
        for index in 0..count {
            let (element, at) = self.element(module, ty, index)?;
            self.collect(module, element, offset + at, leaves)?;
        }
        Some(())
    }
}

impl Abi {
    fn parse(file: &str, text: &str) -> Result<Abi, Diagnostic> {
        let unfit = |what: &str| {
            Diagnostic::whole_file(file, format!("the target {what}"))
                .expected("a little-endian target with 64-bit pointers, such as x86-64")
                .help("compile without -m32 and without a --target of that kind")
        };
        // Before LLVM 18, x86-64 aligned i128 to 8 bytes.
        let mut abi = Abi { i128: 8, f80: 16, aggregate: 1 };
        for part in text.split('-') {
            let mut fields = part.split(':');
            let key = fields.next().unwrap_or("");
            let mut bits = || fields.next().and_then(|field| field.parse::<u32>().ok());
            match key {
                "E" => return Err(unfit("is big-endian")),
                "p" | "p0" if bits() != Some(64) => return Err(unfit("has pointers of 32 bits")),
                "i128" => abi.i128 = bytes(bits(), abi.i128),
                "f80" => abi.f80 = bytes(bits(), abi.f80),
                "a" => abi.aggregate = bytes(bits(), abi.aggregate),
                _ => {}
            }
        }
        Ok(abi)
    }
}

fn bytes(bits: Option<u32>, default: u32) -> u32 {
    bits.map(|bits| bits / 8).filter(|bytes| bytes.is_power_of_two()).unwrap_or(default)
}

fn integer(bits: u32, abi: &Abi) -> Extent {
    let bytes = u64::from(bits.div_ceil(8));
    match bytes {
        0..=8 => padded(bytes, (bytes as u32).next_power_of_two()),
        _ => padded(bytes, abi.i128),
    }
}

fn vector(element_bits: u32, len: u32) -> Extent {
    let bytes = (u64::from(element_bits) * u64::from(len)).div_ceil(8);
    let align = bytes.next_power_of_two().min(1 << 28);
    padded(bytes, align as u32)
}

fn padded(bytes: u64, align: u32) -> Extent {
    Extent { size: round_up(bytes, align), align }
}

fn round_up(value: u64, align: u32) -> u64 {
    value.checked_next_multiple_of(u64::from(align.max(1))).unwrap_or(u64::MAX)
}

fn structure(parts: &[Extent], packed: bool, abi: &Abi) -> Extent {
    let (mut offset, mut align) = (0u64, if packed { 1 } else { abi.aggregate });
    for part in parts {
        if !packed {
            offset = round_up(offset, part.align);
            align = align.max(part.align);
        }
        offset = offset.saturating_add(part.size);
    }
    Extent { size: round_up(offset, align), align }
}

/// The width of a vector's element; elements have no padding in a vector.
pub(crate) fn element_bits(module: &Module, ty: TypeId) -> Option<u32> {
    match module.ty(ty) {
        Type::Int(bits) => Some(*bits),
        Type::Half | Type::BFloat => Some(16),
        Type::Float => Some(32),
        Type::Double | Type::Ptr { .. } => Some(64),
        Type::X86Fp80 => Some(80),
        Type::Fp128 | Type::PpcFp128 => Some(128),
        _ => None,
    }
}

fn scalar(module: &Module, id: TypeId) -> Option<Scalar> {
    let integer = |bits: u32| {
        let fits = (1..=u32::from(Scalar::MAX_BITS)).contains(&bits);
        fits.then_some(Scalar::Int(bits as u8))
    };
    match module.ty(id) {
        Type::Int(bits) => integer(*bits),
        Type::Ptr { .. } => Some(Scalar::Ptr),
        Type::Float => Some(Scalar::F32),
        Type::Double => Some(Scalar::F64),
        Type::Half | Type::BFloat => Some(Scalar::I16),
        Type::X86Mmx => Some(Scalar::I64),
        Type::X86Fp80 => Some(Scalar::Int(80)),
        Type::Fp128 | Type::PpcFp128 => Some(Scalar::I128),
        Type::Vector { element, len, scalable: false } => {
            integer(element_bits(module, *element)?.checked_mul(*len)?)
        }
        _ => None,
    }
}
