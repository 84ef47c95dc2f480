//! Conversion of initial values of globals into bytes.
//!
//! The parser and the printer share [`pack`]: the printer uses the short typed form for a global only if
//! packing the values it would write returns the same global. So the typed form never loses information.

use crate::inst::Operand;
use crate::types::Type;

/// Bytes and addresses of a memory object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Contents {
    pub init: Vec<u8>,
    pub relocs: Vec<(u64, Operand)>,
}

/// The default alignment of a global of this type.
pub(super) fn natural_align(ty: Type) -> u32 {
    ty.bytes().next_power_of_two()
}

/// Lays out consecutive elements of type `ty`: integers as their bytes, addresses as zero bytes and
/// a relocation. If all bytes are zero, `init` is empty, since memory starts as zero.
pub(super) fn pack(ty: Type, elements: impl IntoIterator<Item = Operand>) -> Contents {
    let width = ty.bytes() as usize;
    let mut contents = Contents::default();
    for element in elements {
        let bits = match element {
            Operand::Int(bits) => bits,
            address => {
                contents.relocs.push((contents.init.len() as u64, address));
                0
            }
        };
        contents.init.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    if contents.init.iter().all(|byte| *byte == 0) {
        contents.init = Vec::new();
    }
    contents
}

/// The elements from which [`pack`] would make `contents`, if they exist.
pub(super) fn unpack(ty: Type, contents: &Contents) -> Option<Vec<Operand>> {
    let width = ty.bytes() as usize;
    let last = contents.relocs.last().map_or(0, |(at, _)| (*at as usize / width).saturating_add(1));
    let count = last.max(contents.init.len().div_ceil(width));
    // A relocation far outside would require more elements than any object has.
    if count.saturating_mul(width) as u64 > crate::verify::MAX_OBJECT_SIZE {
        return None;
    }
    let mut elements = vec![Operand::Int(0); count];
    for (element, chunk) in elements.iter_mut().zip(contents.init.chunks(width)) {
        let mut bytes = [0; 16];
        bytes[..chunk.len()].copy_from_slice(chunk);
        *element = Operand::Int(u128::from_le_bytes(bytes));
    }
    for (at, address) in &contents.relocs {
        *elements.get_mut(usize::try_from(*at).ok()? / width)? = *address;
    }
    (pack(ty, elements.iter().copied()) == *contents).then_some(elements)
}
