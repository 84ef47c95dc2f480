//! Objects encoded as bytes: see [`crate::codec`].

use super::{BLANK, Memory, ObjectState, unpack};
use crate::codec::{put, take};
use crate::layout::ObjectId;
use crate::trail::{Trail, Word};

impl Memory {
    /// Whether an object is live or dead, not absent.
    pub(crate) fn is_known(&self, trail: &Trail, object: ObjectId) -> bool {
        trail.get(self.objects[object.0 as usize].base) != 0
    }

    /// Appends an object: header and link unless it is `fixed`, and its bytes if it is live.
    pub(crate) fn encode(&self, trail: &Trail, object: ObjectId, fixed: bool, out: &mut Vec<u8>) {
        let room = &self.objects[object.0 as usize];
        let header = trail.get(room.base);
        let (size, state) = unpack(header);
        if !fixed {
            put(out, header);
            if state == ObjectState::Live {
                put(out, trail.get(self.link(object)));
            }
        }
        if state != ObjectState::Live {
            return;
        }
        for_each_run(size, |word, bytes| {
            out.extend_from_slice(&trail.get(room.data(word)).to_le_bytes()[..bytes]);
        });
        if header & BLANK != 0 {
            for_each_run(size.div_ceil(8), |word, bytes| {
                out.extend_from_slice(&trail.get(room.written(word)).to_le_bytes()[..bytes]);
            });
        }
    }

    /// Restores an object from the front of `bytes`, and removes what it has read.
    pub(crate) fn decode(
        &self,
        trail: &mut Trail,
        object: ObjectId,
        fixed: bool,
        bytes: &mut &[u8],
    ) {
        let room = self.objects[object.0 as usize];
        if !fixed {
            trail.set(room.base, take(bytes));
        }
        let header = trail.get(room.base);
        let (size, state) = unpack(header);
        if state != ObjectState::Live {
            return;
        }
        if !fixed {
            trail.set(self.link(object), take(bytes));
        }
        for_each_run(size, |word, count| take_word(trail, room.data(word), count, bytes));
        if header & BLANK != 0 {
            for_each_run(size.div_ceil(8), |word, count| {
                take_word(trail, room.written(word), count, bytes);
            });
        }
    }
}

/// Visits the words that hold this many bytes, with the number of bytes in each.
fn for_each_run(bytes: u32, mut visit: impl FnMut(u32, usize)) {
    for word in 0..bytes.div_ceil(8) {
        visit(word, (bytes - word * 8).min(8) as usize);
    }
}

fn take_word(trail: &mut Trail, word: Word, count: usize, bytes: &mut &[u8]) {
    let (now, rest) = bytes.split_at_checked(count).unwrap_or((bytes, &[]));
    let mut raw = [0; 8];
    raw[..now.len()].copy_from_slice(now);
    trail.set(word, u64::from_le_bytes(raw));
    *bytes = rest;
}
