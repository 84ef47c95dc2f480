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
    /// Several members, or bit-fields, with their distance in bits from the start of the bytes.
    Several(Vec<(&'p Member, i64)>),
}

/// What bytes of a structure or union are.
enum Inside<'p> {
    /// A member, or a part of it.
    Member(&'p Member),
    /// One of several members of a union.
    AnyOf(Vec<&'p Member>),
    /// Several members or bit-fields.
    Several(Vec<&'p Member>),
    /// A part of a bit-field.
    Field(&'p Member),
    Nothing,
}

/// The largest number of members that a name lists.
const MOST_MEMBERS: usize = 4;
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
                        Inside::Member(member) => {
                            push_name(&mut path, member);
                            (ty, offset) = (member.ty, offset - member.offset);
                        }
                        Inside::AnyOf(members) => return self.any_of(path, offset, &members),
                        Inside::Several(members) => return several(path, offset, members),
                        Inside::Field(field) => return self.part_of_field(path, offset, field),
                        Inside::Nothing => {
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
                    if offset == 0 && !whole {
                        path.push_str("+0");
                    }
                    let value = (offset == 0 && whole).then_some(Value::Of(found));
                    return Part { path, rest: offset, value };
                }
            }
        }
    }

    /// What bytes of a structure or union are.
    fn member(
        self,
        members: &'p [Member],
        union: bool,
        offset: u64,
        tries: &mut u32,
    ) -> Inside<'p> {
        let inside = |member: &&Member| {
            let size = match self.program.source_bytes(member.ty) {
                // An array of unknown length at the end.
                0 => u64::MAX,
                size => size,
            };
            member.bits.is_none()
                && offset.checked_sub(member.offset).is_some_and(|at| self.fits(at, size))
        };
        let mut candidates: Vec<&Member> = members.iter().filter(inside).collect();
        // An array without a length may stand before other members.
        candidates.sort_by_key(|member| self.program.source_bytes(member.ty) == 0);
        let Some(first) = candidates.first() else { return self.touched(members, offset) };
        if candidates.len() == 1 {
            return Inside::Member(first);
        }
        // Members of a union, or a base class with members of another class in its padding.
        let mut whole = Vec::new();
        for member in &candidates {
            let Some(left) = tries.checked_sub(1) else { break };
            *tries = left;
            let part = self.descend(member.ty, offset - member.offset, tries);
            if part.value.is_some() && part.rest == 0 {
                whole.push((*member, part));
            }
        }
        match &whole[..] {
            [] if union && candidates.iter().all(|member| self.is_scalar(member)) => {
                Inside::AnyOf(candidates)
            }
            [] => Inside::Member(first),
            // Nothing is known of the bytes: a pointer to them.
            _ if !union || self.bytes == 0 => Inside::Member(whole[0].0),
            [(only, _)] => Inside::Member(only),
            [(first, part), others @ ..] => {
                let is_leaf = |part: &Part<'_>| part.path.is_empty();
                // Parts of structures are told by the first one.
                match is_leaf(part) && others.iter().all(|(_, part)| is_leaf(part)) {
                    true => Inside::AnyOf(whole.iter().map(|(member, _)| *member).collect()),
                    false => Inside::Member(first),
                }
            }
        }
    }

    /// The members that bytes have parts of, none of which has all bytes.
    fn touched(self, members: &'p [Member], offset: u64) -> Inside<'p> {
        let bits = |bytes: u64| bytes.checked_mul(8);
        let end = offset.checked_add(self.room()).and_then(bits);
        let (Some(start), Some(end)) = (bits(offset), end) else { return Inside::Nothing };
        let extent = |member: &Member| {
            let (first, width) = match member.bits {
                Some((first, width)) => (first.into(), width.into()),
                None => (0, self.program.source_bytes(member.ty).saturating_mul(8)),
            };
            let from = member.offset.saturating_mul(8).saturating_add(first);
            (from, from.saturating_add(width))
        };
        let touched = members.iter().filter(|member| {
            let (from, to) = extent(member);
            from < end && start < to && !member.name.is_empty()
        });
        let touched: Vec<&Member> = touched.collect();
        let is_inside = |member: &&Member| {
            let (from, to) = extent(member);
            start <= from && to <= end
        };
        match &touched[..] {
            [] => Inside::Nothing,
            [field] if field.bits.is_some() && !is_inside(field) => Inside::Field(field),
            [field] if field.bits.is_some() => Inside::Several(touched),
            _ if touched.iter().all(|member| member.bits.is_some()) => Inside::Several(touched),
            // The bytes are members as a whole, as in a copy of several.
            [_, _, ..]
                if touched.len() <= MOST_MEMBERS
                    && touched.iter().all(|member| is_inside(member) && self.is_scalar(member)) =>
            {
                Inside::Several(touched)
            }
            _ => Inside::Nothing,
        }
    }

    fn is_scalar(self, member: &Member) -> bool {
        matches!(
            self.program.types[member.ty],
            SourceType::Scalar { .. } | SourceType::Pointer | SourceType::Enum { .. }
        )
    }

    /// `.{i|f}`: the bytes are one of several members of a union, or a part of it. The value has a type if all have
    /// the same.
    fn any_of(self, mut path: String, offset: u64, members: &[&'p Member]) -> Part<'p> {
        match members {
            [first, .., last] if members.len() > MOST_MEMBERS => {
                path.push_str(&format!(".{{{}|..|{}}}", first.name, last.name));
            }
            _ => push_names(&mut path, members, "|"),
        }
        let is_whole = |member: &&&Member| {
            self.program.source_bytes(member.ty) == u64::from(self.bytes) && offset == member.offset
        };
        let whole: Vec<&&Member> = members.iter().filter(is_whole).collect();
        if whole.is_empty() && offset == 0 {
            path.push_str("+0");
        }
        let types = || whole.iter().map(|member| &self.program.types[member.ty]);
        let value = types().next().filter(|first| types().all(|ty| ty == *first)).map(Value::Of);
        Part { path, rest: offset, value }
    }

    /// A part of a bit-field.
    fn part_of_field(self, mut path: String, offset: u64, field: &'p Member) -> Part<'p> {
        push_name(&mut path, field);
        let first = field.bits.map_or(0, |(first, _)| u64::from(first) / 8);
        let rest = offset.saturating_sub(field.offset.saturating_add(first));
        if rest == 0 {
            path.push_str("+0");
        }
        Part { path, rest, value: None }
    }
}

fn push_name(path: &mut String, member: &Member) {
    if !member.name.is_empty() {
        path.push('.');
        path.push_str(&member.name);
    }
}

/// `.a`, or `.{a, b}` for members and bit-fields that are accessed together.
fn several<'p>(mut path: String, offset: u64, members: Vec<&'p Member>) -> Part<'p> {
    match members[..] {
        [only] => push_name(&mut path, only),
        _ => push_names(&mut path, &members, ", "),
    }
    let distance = |member: &Member| {
        let first = member.bits.map_or(0, |(first, _)| i64::from(first));
        (member.offset as i64).wrapping_sub(offset as i64).wrapping_mul(8).wrapping_add(first)
    };
    let members = members.into_iter().map(|member| (member, distance(member))).collect();
    Part { path, rest: 0, value: Some(Value::Several(members)) }
}

fn push_names(path: &mut String, members: &[&Member], between: &str) {
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    path.push_str(&format!(".{{{}}}", names.join(between)));
}
