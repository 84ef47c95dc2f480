//! Which bytes of an object that starts uninitialised were ever written: a bit for each.

use super::{Memory, Place};
use crate::trail::Trail;

impl Memory {
    /// Whether nothing was ever written to any of the bytes of an uninitialised object.
    #[inline]
    pub fn is_fresh(&self, trail: &Trail, place: Place) -> bool {
        place.blank && !self.any_written(trail, place)
    }

    fn any_written(&self, trail: &Trail, place: Place) -> bool {
        let room = &place.room;
        bit_runs(place).any(|(word, bits)| trail.get(room.written(word)) & bits != 0)
    }

    pub(super) fn note_written(&self, trail: &mut Trail, place: Place) {
        let room = &place.room;
        for (word, bits) in bit_runs(place) {
            let written = room.written(word);
            trail.set(written, trail.get(written) | bits);
        }
    }
}

/// The bits of a place in a row of words with a bit per byte: which word, which bits.
fn bit_runs(place: Place) -> impl Iterator<Item = (u32, u64)> {
    let (start, end) = (place.offset, place.offset + place.bytes);
    (start / 64..end.div_ceil(64)).map(move |word| {
        let (from, to) = (start.max(word * 64) % 64, end.min(word * 64 + 64) - word * 64);
        let below = if to == 64 { u64::MAX } else { (1 << to) - 1 };
        (word, below & u64::MAX << from)
    })
}
