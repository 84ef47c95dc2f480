//! The cells that an access touches, and the splitting of cells.
//!
//! A *cut* is the bit of a byte that starts a cell. Byte 0 always starts one, so its bit stays 0, and an
//! object with no cuts is one cell.

use super::{Memory, Room, Slice};
use crate::trail::{Trail, Word};

impl Memory {
    /// The cell that `slice` covers exactly, if it is a single cell.
    #[inline(always)]
    pub fn single_cell(&self, trail: &Trail, slice: Slice) -> Option<Word> {
        if slice.whole && slice.bytes <= 64 {
            // The usual case: a variable that is only ever accessed as a whole.
            let room = &slice.room;
            return (trail.get(room.cuts(0)) == 0).then(|| room.cell(0));
        }
        self.single_cell_of_many(trail, slice)
    }

    fn single_cell_of_many(&self, trail: &Trail, slice: Slice) -> Option<Word> {
        let (size, _) = self.header(trail, slice.object);
        self.cell_at(trail, &slice.room, size, slice.offset, slice.bytes)
    }

    /// The cell that these bytes of an object of this size are exactly, if they are a single cell. May return
    /// `None` for a cell whose cuts lie in two words: [`Memory::cells`] handles that.
    pub(super) fn cell_at(
        &self,
        trail: &Trail,
        room: &Room,
        size: u32,
        start: u32,
        bytes: u32,
    ) -> Option<Word> {
        let end = start + bytes;
        if start / 64 != (end - 1) / 64 {
            return None;
        }
        // Three conditions: no cut inside, a cut at the start (or byte 0), a cut at the end (or the end of
        // the object). All but the last are in one word.
        let cuts = trail.get(room.cuts(start / 64));
        let inner = ((1u128 << bytes) - 2) as u64;
        if cuts & inner.wrapping_shl(start % 64) != 0
            || (start != 0 && cuts >> (start % 64) & 1 == 0)
        {
            return None;
        }
        (end == size || self.is_cut(trail, room, end)).then(|| room.cell(start))
    }

    /// Appends the cells that `slice` covers. First splits the cells that it covers in part.
    pub fn cells(&self, trail: &mut Trail, slice: Slice, out: &mut Vec<Word>) {
        let room = slice.room;
        let (start, end) = (slice.offset, slice.offset + slice.bytes);
        let (size, _) = self.header(trail, slice.object);
        self.cut(trail, &room, start);
        if end < size {
            self.cut(trail, &room, end);
        }
        for byte in start..end {
            if byte == start || self.is_cut(trail, &room, byte) {
                out.push(room.cell(byte));
            }
        }
    }

    fn is_cut(&self, trail: &Trail, room: &Room, byte: u32) -> bool {
        byte == 0 || trail.get(room.cuts(byte / 64)) >> (byte % 64) & 1 == 1
    }

    /// Splits the cell of a byte before this byte, unless a cell starts there. Both parts keep the word.
    fn cut(&self, trail: &mut Trail, room: &Room, byte: u32) {
        if self.is_cut(trail, room, byte) {
            return;
        }
        // The start of the cell that is split.
        let owner = (0..byte).rev().find(|b| self.is_cut(trail, room, *b)).unwrap_or(0);
        let inherited = trail.get(room.cell(owner));
        trail.set(room.cell(byte), inherited);
        let word = room.cuts(byte / 64);
        trail.set(word, trail.get(word) | 1 << (byte % 64));
    }
}
