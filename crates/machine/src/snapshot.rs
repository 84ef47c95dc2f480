//! A picture of the machine's state that does not depend on the places of its words, for tests and debugging.
//! Two machines that took the same steps have equal pictures, even if they took and undid other steps before.

use crate::layout::ObjectId;
use crate::machine::Machine;
use crate::memory::{ObjectState, Purpose};
use crate::thread::{Status, ThreadId, field, frame};
use crate::trail::Word;

/// One thread: its name, status, program counter, counters, and its frames from the innermost outwards.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ThreadPicture {
    pub name: String,
    pub status: u64,
    pub fields: Vec<u64>,
    pub frames: Vec<Vec<u64>>,
}

/// All threads that exist and the bytes of all live objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    pub threads: Vec<ThreadPicture>,
    pub objects: Vec<(u32, Vec<u8>)>,
}

impl Machine<'_> {
    pub fn snapshot(&self) -> Snapshot {
        let threads = self.thread_ids().filter(|id| self.status(*id) != Status::Absent);
        let objects = (0..self.memory.len() as u32).map(ObjectId);
        Snapshot {
            threads: threads.map(|id| self.thread_picture(id)).collect(),
            objects: objects.filter_map(|id| self.object_picture(id)).collect(),
        }
    }

    fn thread_picture(&self, id: ThreadId) -> ThreadPicture {
        let fields = [field::PC, field::OBJECTS, field::SPAWNED, field::RESULT, field::PHASE];
        let mut frames = Vec::new();
        let mut base = self.get(id, field::FRAME);
        let mut end = self.get(id, field::TOP);
        while base != 0 {
            let word = Word::from_index(base);
            // Only the length of the innermost frame is known. For outer frames, the header and the return
            // address are enough, since their slots are reached through them.
            let slots = end.saturating_sub(word.at(frame::SLOTS).index());
            let mut picture: Vec<u64> = vec![
                self.trail.get(word.at(frame::RETURN_PC)),
                self.trail.get(word.at(frame::RESULT)),
                self.trail.get(word.at(frame::ALLOCAS)),
            ];
            picture.extend((0..slots as u32).map(|n| self.trail.get(word.at(frame::SLOTS + n))));
            frames.push(picture);
            end = self.trail.get(word.at(frame::TOP));
            base = self.trail.get(word.at(frame::CALLER));
        }
        ThreadPicture {
            name: self.thread_name(id).to_owned(),
            status: self.get(id, field::STATUS),
            fields: fields.map(|f| self.get(id, f)).to_vec(),
            frames,
        }
    }

    fn object_picture(&self, id: ObjectId) -> Option<(u32, Vec<u8>)> {
        let (size, state) = self.memory.header(&self.trail, id);
        if !matches!(state, ObjectState::Live | ObjectState::Constant) {
            return None;
        }
        let base = crate::layout::object_address(id);
        let byte = |n| {
            let slice = self.memory.access(&self.trail, base + u64::from(n), 1, Purpose::Read);
            slice.map_or(0, |slice| self.memory.read(&self.trail, slice) as u8)
        };
        Some((id.0, (0..size).map(byte).collect()))
    }
}
