//! The layout of addresses.
//!
//! An address consists of the number of an object and an offset: `(object + 1) << 28 | offset`. Null and
//! small integers belong to no object, an address past the end of an object is detected, and all addresses
//! are below 2⁴⁷, so programs that store tags in the top bits work.

use raddle_ir::{FuncId, GlobalId};

/// Bits of the offset within an object.
pub const OFFSET_BITS: u32 = 28;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;
/// The largest size of an object.
pub const MAX_OBJECT: u64 = 1 << OFFSET_BITS;
/// The largest number of objects.
pub const MAX_OBJECTS: u32 = (1 << 18) - 1;

const FUNCTIONS: u64 = 1 << 46;
const FUNCTION_SHIFT: u32 = 4;

/// Dense number of a memory object; globals come first, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

#[inline]
pub const fn object_address(object: ObjectId) -> u64 {
    (object.0 as u64 + 1) << OFFSET_BITS
}

/// The object and the offset of an address, if it has the form of one.
#[inline]
pub const fn split_address(addr: u64) -> Option<(ObjectId, u32)> {
    let number = addr >> OFFSET_BITS;
    if number == 0 || number > MAX_OBJECTS as u64 {
        return None;
    }
    Some((ObjectId(number as u32 - 1), (addr & OFFSET_MASK) as u32))
}

/// The address of a global that is not thread-local.
pub fn global_address(global: GlobalId) -> u64 {
    object_address(ObjectId(global.as_u32()))
}

pub fn function_address(func: FuncId) -> u64 {
    FUNCTIONS | u64::from(func.as_u32()) << FUNCTION_SHIFT
}

/// The function at an address, if it is one of `count` functions.
pub fn function_at(addr: u64, count: usize) -> Option<FuncId> {
    let index = (addr ^ FUNCTIONS) >> FUNCTION_SHIFT;
    let aligned = addr & ((1 << FUNCTION_SHIFT) - 1) == 0;
    (aligned && index < count as u64).then(|| FuncId::from_u32(index as u32))
}
