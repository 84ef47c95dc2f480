//! Loops that spin, and bounds on loops: docs/loops.md.
//!
//! As in the machine, a thread that is at the head of a loop as it was at its last visit, and did
//! nothing in between that others can see, is stopped. It is compared by the values of the registers
//! that are live there; if one of them waits, nothing is concluded.

use super::{Ahead, Status, field};
use raddle_ir::FuncId;
use raddle_machine::code::{LoopId, Slot, is_wide};
use raddle_machine::live::{RegSet, live_at_starts};
use rustc_hash::FxHashMap;

/// What was seen at heads of loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The registers that are live at the starts of blocks.
    sets: FxHashMap<FuncId, Vec<RegSet>>,
    /// The values that they had, by number.
    seen: FxHashMap<Vec<u128>, u64>,
}

impl Ahead<'_> {
    /// Notes that a thread did something that others can see.
    pub(super) fn note_change(&mut self, thread: u32) {
        if self.code.may_spin {
            let changes = self.get(thread, field::CHANGES);
            self.set(thread, field::CHANGES, changes + 1);
        }
    }

    pub(super) fn enter_loop(&mut self, thread: u32, id: LoopId) {
        let slot = self.code.loops[id.0 as usize].slot;
        let word = self.loop_words(thread, slot);
        self.trail.set(word, 0);
    }

    /// Is at the head of a loop: how to stop there, if it is to.
    pub(super) fn pass_head(&mut self, thread: u32, id: LoopId) -> Option<Status> {
        let known = self.code.loops[id.0 as usize];
        // Three slots of two words each: the count of iterations; what was seen and after how many
        // events; and the changes until then.
        let count = self.loop_words(thread, known.slot);
        let seen = self.loop_words(thread, Slot(known.slot.0 + 1));
        let changed = self.loop_words(thread, Slot(known.slot.0 + 2));
        if let Some(most) = self.bounds.unroll {
            let rounds = self.trail.get(count);
            if rounds > most.into() {
                return Some(Status::Unrolled);
            }
            self.trail.set(count, rounds + 1);
        }
        if !known.may_spin {
            return None;
        }
        let now = self.live_values(thread, id);
        let changes = self.get(thread, field::CHANGES);
        let as_before = self.trail.get(seen) == now && self.trail.get(changed) == changes;
        if now != 0 && as_before {
            let round = self.trail.get(seen.at(1));
            self.set(thread, field::ROUND, round);
            return Some(Status::Spinning);
        }
        self.trail.set(seen, now);
        self.trail.set(seen.at(1), self.fetched(thread).into());
        self.trail.set(changed, changes);
        None
    }

    /// A number for the values of the live registers; 0 if one of them waits.
    fn live_values(&mut self, thread: u32, id: LoopId) -> u64 {
        let known = self.code.loops[id.0 as usize];
        let program = self.program;
        let sets = self.spin.sets.entry(known.func);
        let live = sets.or_insert_with(|| live_at_starts(&program.funcs[known.func]));
        let live = &live[known.head.as_u32() as usize];
        let mut slots = Vec::new();
        for (n, (slot, ty)) in self.code.funcs[known.func.as_u32() as usize].regs.iter().enumerate()
        {
            if live.contains(raddle_ir::Reg::from_u32(n as u32)) {
                slots.push((*slot, is_wide(*ty)));
            }
        }
        let mut values = vec![u128::from(id.0)];
        for (slot, wide) in slots {
            let value = self.own_register(thread, slot, wide);
            match self.value(value) {
                Some(bits) => values.push(bits),
                None => return 0,
            }
        }
        let next = self.spin.seen.len() as u64 + 1;
        *self.spin.seen.entry(values).or_insert(next)
    }

    /// The events of the last round of a thread that spins.
    pub fn last_round(&self, thread: u32) -> std::ops::Range<u32> {
        self.get(thread, field::ROUND) as u32..self.fetched(thread)
    }
}
