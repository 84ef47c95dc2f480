//! The parts of objects, by their types in the source.

use raddle_ir::{Member, Program, SourceId, SourceType};

/// A part of an object: how to get there from the object's name, and what is there.
#[derive(Clone, Debug)]
pub(crate) struct Part<'p> {
    /// `.slots[2].seq`
    pub path: String,
    /// Bytes from the start of the part to the bytes in question.
    pub rest: u64,
    /// The type, if the bytes are the whole of a value.
    pub value: Option<Value<'p>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value<'p> {
    Of(&'p SourceType),
    /// Bit-fields, with their distance in bits from the start of the bytes.
    Bits(Vec<(&'p Member, i64)>),
}

/// The number of members of unions that are tried.
const MAX_TRIES: u32 = 256;

/// The part of an object of type `ty` that so many bytes at an offset are; 0 bytes for an unknown number.
pub(crate) fn part(program: &Program, ty: SourceId, offset: u64, bytes: u32) -> Part<'_> {
    let mut tries = MAX_TRIES;
    Search { program, bytes, whole: false }.descend(ty, offset, &mut tries)
}

/// The part that a pointer to an offset points to: a structure rather than its first member.
pub(crate) fn pointed(program: &Program, ty: SourceId, offset: u64) -> Part<'_> {
    let mut tries = MAX_TRIES;
    Search { program, bytes: 0, whole: true }.descend(ty, offset, &mut tries)
}

#[derive(Clone, Copy)]
struct Search<'p> {
    program: &'p Program,
    bytes: u32,
    whole: bool,
}

impl<'p> Search<'p> {
    /// The number of bytes that a part must have room for.
    fn room(self) -> u64 {
        u64::from(self.bytes.max(1))
    }

    /// Whether bytes from an offset on lie inside `size` bytes.
    fn fits(self, offset: u64, size: u64) -> bool {
        offset.checked_add(self.room()).is_some_and(|end| end <= size)
    }

    fn descend(self, ty: SourceId, offset: u64, tries: &mut u32) -> Part<'p> {
        let (mut ty, mut offset, mut path) = (ty, offset, String::new());
        loop {
            let found = &self.program.types[ty];
            match found {
                SourceType::Array { element, count } => {
                    let size = self.program.source_bytes(*element);
                    let index = offset.checked_div(size);
                    let index = index.filter(|index| *count == 0 || index < count);
                    let Some(index) = index.filter(|_| self.fits(offset % size, size)) else {
                        return Part { path, rest: offset, value: None };
                    };
                    path.push_str(&format!("[{index}]"));
                    (ty, offset) = (*element, offset % size);
                }
                SourceType::Record { .. } if self.whole && offset == 0 => {
                    return Part { path, rest: 0, value: Some(Value::Of(found)) };
                }
                SourceType::Record { members, union, bytes, .. } => {
                    match self.member(members, *union, offset, tries) {
                        Some(Ok(member)) => {
                            push_name(&mut path, member);
                            (ty, offset) = (member.ty, offset - member.offset);
                        }
                        Some(Err(fields)) => return bit_fields(path, offset, fields),
                        None => {
                            let rest = if *bytes == u64::from(self.bytes) { 0 } else { offset };
                            return Part { path, rest, value: None };
                        }
                    }
                }
                // Its parts are not for readers.
                SourceType::Opaque { .. } => {
                    return Part { path, rest: 0, value: Some(Value::Of(found)) };
                }
                _ => {
                    let whole =
                        self.bytes == 0 || self.program.source_bytes(ty) == u64::from(self.bytes);
                    let value = (offset == 0 && whole).then_some(Value::Of(found));
                    return Part { path, rest: offset, value };
                }
            }
        }
    }

    /// The member that the bytes are in, or the bit-fields that they have parts of.
    fn member(
        self,
        members: &'p [Member],
        union: bool,
        offset: u64,
        tries: &mut u32,
    ) -> Option<Result<&'p Member, Vec<&'p Member>>> {
        let inside = |member: &&Member| {
            let size = match self.program.source_bytes(member.ty) {
                // An array of unknown length at the end.
                0 => u64::MAX,
                size => size,
            };
            member.bits.is_none()
                && offset.checked_sub(member.offset).is_some_and(|at| self.fits(at, size))
        };
        let candidates = members.iter().filter(inside);
        // An array without a length may stand before other members.
        let sized = |member: &&Member| self.program.source_bytes(member.ty) > 0;
        let first = candidates.clone().find(sized).or_else(|| candidates.clone().next());
        if !union {
            let fields = || self.touched_fields(members, offset);
            return first.map(Ok).or_else(fields);
        }
        let first = first?;
        for member in candidates {
            let Some(left) = tries.checked_sub(1) else { break };
            *tries = left;
            let part = self.descend(member.ty, offset - member.offset, tries);
            if part.value.is_some() && part.rest == 0 {
                return Some(Ok(member));
            }
        }
        Some(Ok(first))
    }

    fn touched_fields(
        self,
        members: &'p [Member],
        offset: u64,
    ) -> Option<Result<&'p Member, Vec<&'p Member>>> {
        let (start, end) =
            (offset.checked_mul(8)?, offset.checked_add(self.room())?.checked_mul(8)?);
        let touched = members.iter().filter(|member| {
            let Some((first, width)) = member.bits else { return false };
            let from = member.offset.saturating_mul(8).saturating_add(first.into());
            from < end && start < from.saturating_add(width.into())
        });
        let touched: Vec<&Member> = touched.filter(|member| !member.name.is_empty()).collect();
        (!touched.is_empty()).then_some(Err(touched))
    }
}

fn push_name(path: &mut String, member: &Member) {
    if !member.name.is_empty() {
        path.push('.');
        path.push_str(&member.name);
    }
}

/// `.a`, or `.{a, b}` for bit-fields that share their bytes.
fn bit_fields<'p>(mut path: String, offset: u64, fields: Vec<&'p Member>) -> Part<'p> {
    match fields[..] {
        [only] => push_name(&mut path, only),
        _ => {
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            path.push_str(&format!(".{{{}}}", names.join(", ")));
        }
    }
    let distance = |field: &Member| {
        let first = field.bits.map_or(0, |(first, _)| i64::from(first));
        (field.offset as i64).wrapping_sub(offset as i64).wrapping_mul(8).wrapping_add(first)
    };
    let fields = fields.into_iter().map(|field| (field, distance(field))).collect();
    Part { path, rest: 0, value: Some(Value::Bits(fields)) }
}
