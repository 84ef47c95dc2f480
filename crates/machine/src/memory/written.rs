//! The written bytes of an object that starts uninitialised: one bit per byte.

use super::{Memory, Slice};
use crate::trail::Trail;

impl Memory {
    /// Whether none of the bytes was ever written, in an object that started uninitialised.
    #[inline]
    pub fn is_fresh(&self, trail: &Trail, slice: Slice) -> bool {
        slice.blank && !self.any_written(trail, slice)
    }

    fn any_written(&self, trail: &Trail, slice: Slice) -> bool {
        let room = &slice.room;
        bit_runs(slice).any(|(word, bits)| trail.get(room.written(word)) & bits != 0)
    }

    pub(super) fn note_written(&self, trail: &mut Trail, slice: Slice) {
        let room = &slice.room;
        for (word, bits) in bit_runs(slice) {
            let written = room.written(word);
            trail.set(written, trail.get(written) | bits);
        }
    }
}

/// The bits of a slice in an array with one bit per byte: index of each word, and its bits.
fn bit_runs(slice: Slice) -> impl Iterator<Item = (u32, u64)> {
    let (start, end) = (slice.offset, slice.offset + slice.bytes);
    (start / 64..end.div_ceil(64)).map(move |word| {
        let (from, to) = (start.max(word * 64) % 64, end.min(word * 64 + 64) - word * 64);
        let below = if to == 64 { u64::MAX } else { (1 << to) - 1 };
        (word, below & u64::MAX << from)
    })
}
