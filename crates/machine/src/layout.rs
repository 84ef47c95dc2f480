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

/// The object that an address was probably computed from, and its offset in it: the object that has the byte, or else the next
/// object if the address is closer to its start than an object can be long, halved. For messages only. `size` gives the sizes of
/// the objects that exist.
pub fn nearest(addr: u64, size: impl Fn(ObjectId) -> Option<u64>) -> Option<(ObjectId, i64)> {
    let at = split_address(addr);
    let has = |(object, offset): &(ObjectId, u32)| {
        size(*object).is_some_and(|size| u64::from(*offset) < size)
    };
    let next = addr.checked_add(MAX_OBJECT / 2).and_then(split_address).map(|(object, _)| object);
    let object = match (at.filter(has), next) {
        (None, Some(next)) if size(next).is_some() => next,
        _ => at.map(|(object, _)| object).filter(|object| size(*object).is_some())?,
    };
    Some((object, addr as i64 - object_address(object) as i64))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_before_an_object_is_nearest_to_it() {
        let at = |object| object_address(ObjectId(object));
        let size = |object: ObjectId| (object.0 < 2).then_some(8);
        let found = |addr| nearest(addr, size).map(|(object, offset)| (object.0, offset));
        assert_eq!(found(at(0)), Some((0, 0)));
        assert_eq!(found(at(0) + 8), Some((0, 8)));
        assert_eq!(found(at(1) - 4), Some((1, -4)));
        assert_eq!(found(at(0) - 4), Some((0, -4)));
        assert_eq!(found(at(2) - 4), Some((1, i64::try_from(MAX_OBJECT).expect("small") - 4)));
        assert_eq!((found(8), found(at(2)), found(u64::MAX)), (None, None, None));
    }
}
