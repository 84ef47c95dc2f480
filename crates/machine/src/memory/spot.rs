//! Spots: ranges of bytes whose data and cell are found in one lookup.
//!
//! Most accesses touch at most eight bytes that lie in one word, form one cell, and belong to an object that
//! started initialised. For those, a read or a write needs only two words and a shift.

use super::{BLANK, Memory, ObjectState, Purpose, Room, SIZE, STATE};
use crate::layout::{ObjectId, split_address};
use crate::trail::{Trail, Word};

/// A checked range of bytes that is one cell and lies in one word.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    data: Word,
    cell: Word,
    shift: u32,
    bytes: u32,
}

impl Memory {
    /// The spot of an access, if the access is allowed and its bytes are a spot.
    #[inline(always)]
    pub fn spot(&self, trail: &Trail, addr: u64, bytes: u32, purpose: Purpose) -> Option<Spot> {
        let (object, offset) = split_address(addr)?;
        let room = self.objects.get(object.0 as usize)?;
        let header = trail.get(room.base);
        // With `BLANK` in the mask, the comparisons also exclude objects that started uninitialised.
        let state = header & (STATE | BLANK);
        let usable = state == ObjectState::Live as u64
            || (state == ObjectState::Constant as u64 && !purpose.writes());
        let size = (header >> SIZE) as u32;
        if !usable || bytes > 8 {
            return None;
        }
        if offset == 0 && bytes == size {
            // The usual case: a variable that is always accessed as a whole.
            let whole = trail.get(room.cuts(0)) == 0;
            return whole.then(|| Spot { data: room.data(0), cell: room.cell(0), shift: 0, bytes });
        }
        self.spot_in(trail, room, object, offset, bytes)
    }

    /// [`Memory::spot`] for a part of an object.
    #[inline(never)]
    fn spot_in(
        &self,
        trail: &Trail,
        room: &Room,
        object: ObjectId,
        offset: u32,
        bytes: u32,
    ) -> Option<Spot> {
        let (size, _) = self.header(trail, object);
        let inside = u64::from(offset) + u64::from(bytes) <= u64::from(size);
        if !inside || bytes == 0 || offset % 8 + bytes > 8 {
            return None;
        }
        let cell = self.cell_at(trail, room, size, offset, bytes)?;
        Some(Spot { data: room.data(offset / 8), cell, shift: offset % 8 * 8, bytes })
    }
}

impl Spot {
    /// The word of the one cell.
    #[inline(always)]
    pub fn cell(&self) -> Word {
        self.cell
    }

    #[inline(always)]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bytes * 8)
    }

    #[inline(always)]
    pub fn read(&self, trail: &Trail) -> u64 {
        trail.get(self.data) >> self.shift & self.mask()
    }

    #[inline(always)]
    pub fn write(&self, trail: &mut Trail, value: u64) {
        let old = trail.get(self.data);
        let kept = old & !(self.mask() << self.shift);
        trail.set(self.data, kept | (value & self.mask()) << self.shift);
    }
}
