//! Objects, bytes, cells.
//!
//! Memory is a set of objects. An object is a range of bytes with bounds and a state. A *cell* is a maximal
//! range of bytes of one object that every access so far touched together. An engine keeps one word per cell
//! about the accesses to it. A cell splits when an access touches only a part of it, and both parts inherit
//! the word. So the word holds exactly the facts that a word per byte would hold. In the usual case, where
//! accesses do not overlap partly, an access costs one word.
//!
//! The words of an object, in this order: a header (size, state and kind), a link for lists of objects, the
//! bytes, a bit per byte that starts a cell (never set for the first byte), a word per byte, used at the
//! first byte of each cell, and a bit per byte that was written, used in objects that start uninitialised.

mod cells;
mod codec;
mod spot;
#[cfg(test)]
mod tests;
mod written;

use crate::fault::{Fault, NoAccess, NoFree};
use crate::layout::{MAX_OBJECTS, ObjectId, nearest, split_address};
use crate::thread::ThreadId;
use crate::trail::{Trail, Word};

pub use spot::Spot;

/// The most words that all objects, threads and frames together may have: 2 GiB.
const MAX_WORDS: u64 = 1 << 28;
const HEADER: u32 = 2;
const LINK: u32 = 1;

/// The state of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectState {
    /// Not (yet) allocated in this execution.
    Absent,
    Live,
    /// Live; a write is an error.
    Constant,
    /// Freed, or its function has returned.
    Dead,
}

impl ObjectState {
    const ALL: [ObjectState; 4] =
        [ObjectState::Absent, ObjectState::Live, ObjectState::Constant, ObjectState::Dead];
}

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Global,
    Constant,
    /// A thread's copy of a thread-local global that only this thread touches.
    PrivateGlobal(ThreadId),
    /// In the frame of a function: starts uninitialised.
    Frame,
    /// As `Frame`, and only this thread touches it.
    Private(ThreadId),
    /// Starts uninitialised.
    Heap,
    ZeroedHeap,
}

impl ObjectKind {
    /// The bits of a live object's header for this kind.
    fn bits(self) -> u64 {
        match self {
            ObjectKind::Global | ObjectKind::Constant => 0,
            ObjectKind::PrivateGlobal(owner) => PRIVATE | u64::from(owner.0) << OWNER,
            ObjectKind::Frame => BLANK,
            ObjectKind::Private(owner) => BLANK | PRIVATE | u64::from(owner.0) << OWNER,
            ObjectKind::Heap => BLANK | HEAP,
            ObjectKind::ZeroedHeap => HEAP,
        }
    }
}

// A header: the state in two bits, these flags, the size from bit 8, the owner of a private object from bit
// 40.
const STATE: u64 = 3;
const HEAP: u64 = 1 << 2;
const PRIVATE: u64 = 1 << 3;
/// The object started uninitialised: a bit per byte records the written bytes.
const BLANK: u64 = 1 << 4;
const SIZE: u32 = 8;
const OWNER: u32 = 40;

/// The purpose of an access. It decides which accesses are allowed, and the message of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Read,
    Write,
    /// Reading and then writing.
    Update,
    /// Copying bytes, whether they were written before or not.
    Copy,
}

impl Purpose {
    #[inline]
    pub(crate) fn writes(self) -> bool {
        matches!(self, Purpose::Write | Purpose::Update)
    }

    /// Whether the access requires bytes that were written.
    fn needs_value(self) -> bool {
        matches!(self, Purpose::Read | Purpose::Update)
    }
}

/// A checked range of bytes of a live object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    object: ObjectId,
    offset: u32,
    bytes: u32,
    /// The range is the whole object.
    whole: bool,
    /// The object records which of its bytes were written.
    blank: bool,
    room: Room,
}

/// The words of an object, and the number of bytes that fit into them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Room {
    base: Word,
    bytes: u32,
    /// The bits that mark the starts of cells, and the words of the cells.
    cuts: Word,
    cells: Word,
}

impl Room {
    fn words(bytes: u32) -> u64 {
        let bytes = u64::from(bytes);
        u64::from(HEADER) + bytes.div_ceil(8) + bytes.div_ceil(64) + bytes + bytes.div_ceil(64)
    }

    fn new(base: Word, bytes: u32) -> Room {
        let cuts = base.at(HEADER + bytes.div_ceil(8));
        Room { base, bytes, cuts, cells: cuts.at(bytes.div_ceil(64)) }
    }

    #[inline]
    fn data(&self, word: u32) -> Word {
        self.base.at(HEADER + word)
    }

    #[inline]
    fn cuts(&self, word: u32) -> Word {
        self.cuts.at(word)
    }

    #[inline]
    fn cell(&self, byte: u32) -> Word {
        self.cells.at(byte)
    }

    fn written(&self, word: u32) -> Word {
        self.cell(self.bytes + word)
    }
}

/// The memory objects of a search, by dense number.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    objects: Vec<Room>,
}

impl Memory {
    /// Gives the next number to an object that is new in this search.
    pub fn name_object(&mut self, trail: &mut Trail, bytes: u32) -> Result<ObjectId, Fault> {
        if self.objects.len() as u32 >= MAX_OBJECTS {
            return Err(Fault::too_many_objects());
        }
        let room = Self::room(trail, bytes)?;
        self.objects.push(room);
        Ok(ObjectId(self.objects.len() as u32 - 1))
    }

    fn room(trail: &mut Trail, bytes: u32) -> Result<Room, Fault> {
        let words = u32::try_from(Room::words(bytes)).ok();
        let words = words.filter(|words| trail.len() + u64::from(*words) <= MAX_WORDS);
        let words = words.filter(|words| trail.affords((*words).into()));
        let words = words.ok_or_else(|| {
            let message = format!("an object of {bytes} bytes is more than there is memory for");
            Fault::unsupported(message)
        })?;
        Ok(Room::new(trail.reserve(words), bytes))
    }

    /// Makes an absent object live, with `bytes` zero bytes. If the object with this number was smaller in an
    /// earlier execution, it gets new words.
    pub fn allocate(
        &mut self,
        trail: &mut Trail,
        object: ObjectId,
        bytes: u32,
        kind: ObjectKind,
    ) -> Result<(), Fault> {
        if self.objects[object.0 as usize].bytes < bytes {
            self.objects[object.0 as usize] = Self::room(trail, bytes)?;
        }
        let state = match kind {
            ObjectKind::Constant => ObjectState::Constant,
            _ => ObjectState::Live,
        };
        self.set_header(trail, object, bytes, state, kind.bits());
        Ok(())
    }

    /// Ends an object's life.
    pub fn kill(&self, trail: &mut Trail, object: ObjectId) {
        let (bytes, _) = self.header(trail, object);
        self.set_header(trail, object, bytes, ObjectState::Dead, 0);
    }

    fn set_header(
        &self,
        trail: &mut Trail,
        object: ObjectId,
        bytes: u32,
        state: ObjectState,
        bits: u64,
    ) {
        let header = self.objects[object.0 as usize].base;
        trail.set(header, u64::from(bytes) << SIZE | bits | state as u64);
    }

    /// Size and state.
    #[inline]
    pub fn header(&self, trail: &Trail, object: ObjectId) -> (u32, ObjectState) {
        unpack(trail.get(self.objects[object.0 as usize].base))
    }

    /// The owner of the live private object that an address points into.
    #[inline]
    pub fn private_owner(&self, trail: &Trail, addr: u64) -> Option<ThreadId> {
        let (object, _) = split_address(addr)?;
        let word = trail.get(self.objects.get(object.0 as usize)?.base);
        (word & PRIVATE != 0).then_some(ThreadId((word >> OWNER) as u32))
    }

    fn is_heap(&self, trail: &Trail, object: ObjectId) -> bool {
        trail.get(self.objects[object.0 as usize].base) & HEAP != 0
    }

    /// A word of the object for a list of objects.
    pub fn link(&self, object: ObjectId) -> Word {
        self.objects[object.0 as usize].base.at(LINK)
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Checks an access.
    pub fn access(
        &self,
        trail: &Trail,
        addr: u64,
        bytes: u32,
        purpose: Purpose,
    ) -> Result<Slice, Fault> {
        match self.find(trail, addr, bytes, purpose) {
            Some(slice) => Ok(slice),
            None => Err(self.bad_access(trail, addr, bytes, purpose)),
        }
    }

    /// The bytes of an access, if that is allowed.
    #[inline(always)]
    pub fn find(&self, trail: &Trail, addr: u64, bytes: u32, purpose: Purpose) -> Option<Slice> {
        let (object, offset) = split_address(addr)?;
        let room = *self.objects.get(object.0 as usize)?;
        let header = trail.get(room.base);
        let size = (header >> SIZE) as u32;
        let state = header & STATE;
        let usable = state == ObjectState::Live as u64
            || (state == ObjectState::Constant as u64 && !purpose.writes());
        if !usable || u64::from(offset) + u64::from(bytes) > u64::from(size) {
            return None;
        }
        // One read of the header decides everything, except for objects that started uninitialised.
        let blank = header & BLANK != 0;
        let slice = Slice { object, offset, bytes, whole: bytes == size, blank, room };
        (!blank || !purpose.needs_value() || !self.is_fresh(trail, slice)).then_some(slice)
    }

    #[cold]
    fn bad_access(&self, trail: &Trail, addr: u64, bytes: u32, purpose: Purpose) -> Fault {
        let header = |object: ObjectId| {
            let known = ((object.0 as usize) < self.len()).then(|| self.header(trail, object));
            known.filter(|(_, state)| *state != ObjectState::Absent)
        };
        let near = nearest(addr, |object| header(object).map(|(size, _)| size.into()));
        let found = near.and_then(|(object, offset)| Some((offset, header(object)?)));
        let reason = match found {
            None => NoAccess::Nowhere,
            Some((_, (_, ObjectState::Dead))) => NoAccess::Dead,
            Some((offset, (size, _))) if offset < 0 || offset + i64::from(bytes) > size.into() => {
                NoAccess::Outside { offset, size }
            }
            Some((_, (_, ObjectState::Constant))) => NoAccess::Constant,
            Some(_) => NoAccess::NeverWritten,
        };
        Fault::access(purpose, addr, bytes, reason)
    }

    /// The bytes of a live or dead object, without a check of permissions.
    pub fn remains(&self, trail: &Trail, addr: u64, bytes: u32) -> Option<Slice> {
        let (object, offset) = split_address(addr)?;
        let room = *self.objects.get(object.0 as usize)?;
        let (size, _) = self.header(trail, object);
        let inside = bytes > 0 && u64::from(offset) + u64::from(bytes) <= u64::from(size);
        inside.then_some(Slice { object, offset, bytes, whole: bytes == size, blank: false, room })
    }

    /// The number of bytes from `addr` to the end of its object, live or dead; 0 outside all objects.
    pub fn extent(&self, trail: &Trail, addr: u64) -> u32 {
        match split_address(addr) {
            Some((object, offset)) if (object.0 as usize) < self.objects.len() => {
                self.header(trail, object).0.saturating_sub(offset)
            }
            _ => 0,
        }
    }

    /// Whether the bytes belong to a dead object.
    pub fn is_dead(&self, trail: &Trail, addr: u64, bytes: u32) -> bool {
        let slice = self.remains(trail, addr, bytes);
        slice.is_some_and(|slice| self.header(trail, slice.object).1 == ObjectState::Dead)
    }

    /// The whole live object that starts at `addr`, to free it. It must be a heap object unless `any`.
    pub fn whole(&self, trail: &Trail, addr: u64, any: bool) -> Result<Slice, Fault> {
        match split_address(addr).filter(|(object, _)| (object.0 as usize) < self.len()) {
            Some((object, 0)) => match self.header(trail, object) {
                (bytes, state)
                    if state == ObjectState::Live && self.is_heap(trail, object)
                        || any && matches!(state, ObjectState::Live | ObjectState::Constant) =>
                {
                    let room = self.objects[object.0 as usize];
                    Ok(Slice { object, offset: 0, bytes, whole: true, blank: false, room })
                }
                (_, ObjectState::Dead) => Err(Fault::free(NoFree::Dead)),
                _ => Err(Fault::free(NoFree::NotOfHeap)),
            },
            Some(_) => Err(Fault::free(NoFree::Middle)),
            None => Err(Fault::free(NoFree::Nowhere)),
        }
    }

    /// The value of at most 16 bytes, little-endian.
    #[inline]
    pub fn read(&self, trail: &Trail, slice: Slice) -> u128 {
        let room = &slice.room;
        let (first, shift) = (slice.offset / 8, slice.offset % 8 * 8);
        let low = trail.get(room.data(first));
        if shift / 8 + slice.bytes <= 8 {
            let mask = if slice.bytes >= 8 { u64::MAX } else { (1 << (slice.bytes * 8)) - 1 };
            return u128::from(low >> shift & mask);
        }
        let mut value = u128::from(low >> shift);
        let mut have = 64 - shift;
        let mut word = first;
        while have < slice.bytes * 8 {
            word += 1;
            value |= u128::from(trail.get(room.data(word))) << have;
            have += 64;
        }
        if slice.bytes >= 16 { value } else { value & ((1 << (slice.bytes * 8)) - 1) }
    }

    #[inline(always)]
    pub fn write(&self, trail: &mut Trail, slice: Slice, value: u128) {
        let shift = slice.offset % 8 * 8;
        if slice.blank || shift / 8 + slice.bytes > 8 {
            return self.write_bytes(trail, slice, value);
        }
        let mask = if slice.bytes >= 8 { u64::MAX } else { (1 << (slice.bytes * 8)) - 1 };
        let word = slice.room.data(slice.offset / 8);
        let old = trail.get(word);
        trail.set(word, old & !(mask << shift) | (value as u64 & mask) << shift);
    }

    /// [`Memory::write`] for all cases: several words, or bytes that must be marked as written.
    #[inline(never)]
    fn write_bytes(&self, trail: &mut Trail, slice: Slice, value: u128) {
        if slice.blank {
            self.note_written(trail, slice);
        }
        for byte in 0..slice.bytes {
            let offset = slice.offset + byte;
            let (word, shift) = (slice.room.data(offset / 8), offset % 8 * 8);
            let new = u64::from((value >> (byte * 8)) as u8) << shift;
            trail.set(word, trail.get(word) & !(0xff << shift) | new);
        }
    }
}

/// Size and state, from a header.
#[inline]
fn unpack(header: u64) -> (u32, ObjectState) {
    ((header >> SIZE) as u32, ObjectState::ALL[(header & STATE) as usize])
}

impl Slice {
    pub fn object(&self) -> ObjectId {
        self.object
    }

    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}
