//! The accesses to each byte.
//!
//! The word of a byte holds the head of a list of accesses, and the message of its value ([`super::order`]).
//! Bytes that were always accessed together share their list, so an access checks one list for each run of
//! such bytes.

use super::found::Found;
use super::{Access, DataRaces};
use crate::clock::ClockId;
use raddle_ir::LocId;
use raddle_machine::layout::split_address;
use raddle_machine::{Machine, ThreadId, Word};
use smallvec::SmallVec;

/// How bytes are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Read,
    Write,
    /// The end of a heap object: a write to all its bytes.
    Free,
}

/// An access that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Accessed {
    pub thread: ThreadId,
    /// The number of times that the thread had published its clock.
    pub time: u32,
    pub loc: LocId,
    pub kind: Kind,
    pub plain: bool,
    /// Whether it is plain and the source says `volatile`.
    pub volatile: bool,
}

impl Accessed {
    /// Whether the two are the same except for the time. Then the newer one replaces the older one: an access
    /// that races with the older one races with the newer one too.
    fn is_again(&self, other: &Accessed) -> bool {
        Accessed { time: other.time, ..*self } == *other
    }

    /// Whether the two must be ordered.
    fn conflicts(&self, other: &Accessed) -> bool {
        self.thread != other.thread
            && (self.plain || other.plain)
            && (self.kind != Kind::Read || other.kind != Kind::Read)
    }
}

/// An entry of a list of accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    accessed: Accessed,
    /// The index of the previous entry, plus 1; 0 for none.
    before: u32,
}

/// The words of the bytes of each object, by the number of the object. They are never freed.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms(Vec<Option<(Word, u32)>>);

impl Rooms {
    /// The words of a range of bytes, one per byte, if it lies in a live or dead object.
    fn words(&mut self, machine: &mut Machine<'_>, addr: u64, bytes: u32) -> Vec<Word> {
        let Some(slice) = machine.memory.remains(&machine.trail, addr, bytes) else {
            return Vec::new();
        };
        let Some((_, offset)) = split_address(addr) else { return Vec::new() };
        let (object, (size, _)) =
            (slice.object(), machine.memory.header(&machine.trail, slice.object()));
        let index = object.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        let first = match self.0[index] {
            Some((first, room)) if room >= size => first,
            // The object is new, or was smaller in an earlier execution.
            _ if !machine.trail.affords(size.into()) => return Vec::new(),
            _ => {
                let first = machine.trail.reserve(size);
                self.0[index] = Some((first, size));
                first
            }
        };
        (offset..offset + bytes).map(|byte| first.at(byte)).collect()
    }
}

/// The parts of a byte's word: the index of the newest access, plus 1, and the message.
fn unpack(word: u64) -> (u32, ClockId) {
    (word as u32, ClockId((word >> 32) as u32))
}

fn pack(newest: u32, message: ClockId) -> u64 {
    u64::from(message.0) << 32 | u64::from(newest)
}

impl DataRaces {
    /// The joined messages of a range of bytes.
    pub(super) fn message_at(
        &mut self,
        machine: &mut Machine<'_>,
        addr: u64,
        bytes: u32,
    ) -> ClockId {
        let mut all = ClockId::NONE;
        for word in self.rooms.words(machine, addr, bytes) {
            let (_, message) = unpack(machine.trail.get(word));
            if message != all && message != ClockId::NONE {
                all = self.clocks.joined(all, message);
            }
        }
        all
    }

    pub(super) fn put_message(
        &mut self,
        machine: &mut Machine<'_>,
        addr: u64,
        bytes: u32,
        message: ClockId,
    ) {
        for word in self.rooms.words(machine, addr, bytes) {
            let (newest, _) = unpack(machine.trail.get(word));
            machine.trail.set(word, pack(newest, message));
        }
    }

    /// Finds the races of a new access, and records the access.
    pub(super) fn check_access(&mut self, machine: &mut Machine<'_>, access: Access, events: u32) {
        let Access { thread, loc, addr, bytes, kind, plain, volatile } = access;
        let clock = Self::clock(machine, thread);
        let time = self.time(clock, thread);
        let accessed = Accessed { thread, time, loc, kind, plain, volatile };
        let (mut known, mut added) = (u32::MAX, 0);
        for (n, word) in self.rooms.words(machine, addr, bytes).into_iter().enumerate() {
            let (newest, message) = unpack(machine.trail.get(word));
            if newest != known {
                self.compare(clock, newest, &accessed, addr + n as u64, events);
                (known, added) = (newest, self.added(newest, accessed));
            }
            machine.trail.set(word, pack(added, message));
        }
    }

    /// Compares an access with the accesses of a list.
    fn compare(
        &mut self,
        clock: ClockId,
        mut newest: u32,
        accessed: &Accessed,
        addr: u64,
        events: u32,
    ) {
        while let Some(link) = self.link(newest) {
            let earlier = link.accessed;
            newest = link.before;
            if earlier.conflicts(accessed) && earlier.time > self.time(clock, earlier.thread) {
                self.note(Found { earlier, later: *accessed, addr, events });
            }
        }
    }

    fn note(&mut self, found: Found) {
        if !self.found.iter().any(|known| known.is_same(&found)) {
            self.found.push(found);
        }
    }

    fn link(&self, link: u32) -> Option<Link> {
        link.checked_sub(1).map(|link| self.links[link as usize])
    }

    /// The list with one more access, without the older access that it replaces.
    fn added(&mut self, newest: u32, accessed: Accessed) -> u32 {
        let mut above: SmallVec<[Accessed; 8]> = SmallVec::new();
        let (mut list, mut at) = (newest, newest);
        while let Some(link) = self.link(at) {
            if link.accessed == accessed {
                return newest;
            }
            if link.accessed.is_again(&accessed) {
                list = link.before;
                while let Some(accessed) = above.pop() {
                    list = self.linked(accessed, list);
                }
                break;
            }
            above.push(link.accessed);
            at = link.before;
        }
        self.linked(accessed, list)
    }

    fn linked(&mut self, accessed: Accessed, before: u32) -> u32 {
        self.links.push(Link { accessed, before });
        self.links.len() as u32
    }
}
