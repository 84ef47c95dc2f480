//! Interned sets: the loads that a value depends on, and clocks of the events before a full fence.
//!
//! A dependency never leaves its thread (shared memory does not carry dependencies), so a set of loads is a
//! set of places in one thread's program order.

use crate::table::Id;
use raddle_machine::ThreadId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A set of events of one thread, by their places in its program order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct DepsId(pub u32);

impl DepsId {
    pub(crate) const NONE: DepsId = DepsId(0);
}

type Words = SmallVec<[u64; 2]>;

#[derive(Clone, Debug)]
pub(crate) struct DepSets {
    sets: Vec<Words>,
    ids: FxHashMap<Words, DepsId>,
    unions: FxHashMap<(DepsId, DepsId), DepsId>,
}

impl DepSets {
    pub(crate) fn new() -> DepSets {
        let ids = FxHashMap::from_iter([(Words::new(), DepsId::NONE)]);
        DepSets { sets: vec![Words::new()], ids, unions: FxHashMap::default() }
    }

    fn intern(&mut self, words: Words) -> DepsId {
        if let Some(id) = self.ids.get(&words) {
            return *id;
        }
        let id = DepsId(self.sets.len() as u32);
        self.sets.push(words.clone());
        self.ids.insert(words, id);
        id
    }

    pub(crate) fn just(&mut self, place: u32) -> DepsId {
        let mut words = Words::new();
        words.resize(place as usize / 64 + 1, 0);
        words[place as usize / 64] = 1 << (place % 64);
        self.intern(words)
    }

    pub(crate) fn union(&mut self, a: DepsId, b: DepsId) -> DepsId {
        if a == b || b == DepsId::NONE {
            return a;
        }
        if a == DepsId::NONE {
            return b;
        }
        let key = (DepsId(a.0.min(b.0)), DepsId(a.0.max(b.0)));
        if let Some(id) = self.unions.get(&key) {
            return *id;
        }
        let (x, y) = (&self.sets[a.0 as usize], &self.sets[b.0 as usize]);
        let (mut long, short) = if x.len() >= y.len() { (x.clone(), y) } else { (y.clone(), x) };
        for (word, more) in long.iter_mut().zip(short) {
            *word |= more;
        }
        let id = self.intern(long);
        self.unions.insert(key, id);
        id
    }

    #[inline]
    pub(crate) fn contains(&self, id: DepsId, place: u32) -> bool {
        let word = self.sets[id.0 as usize].get(place as usize / 64);
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    pub(crate) fn iter(&self, id: DepsId) -> impl Iterator<Item = u32> + '_ {
        let words = self.sets[id.0 as usize].iter().enumerate();
        words.flat_map(|(n, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| n as u32 * 64 + bit)
        })
    }
}

/// A clock: for each thread, how many of its events come before, ordered as by a full fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ClockId(pub u32);

type Clock = SmallVec<[u32; 4]>;

#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    clocks: Vec<Clock>,
    ids: FxHashMap<Clock, ClockId>,
}

impl Clocks {
    pub(crate) fn new() -> Clocks {
        let ids = FxHashMap::from_iter([(Clock::new(), ClockId(0))]);
        Clocks { clocks: vec![Clock::new()], ids }
    }

    #[inline]
    fn get(&self, id: ClockId) -> &Clock {
        &self.clocks[id.0 as usize]
    }

    /// The threads of which events come before, each with their number.
    #[inline]
    pub(crate) fn entries(&self, id: ClockId) -> impl Iterator<Item = (ThreadId, u32)> + '_ {
        let counts = self.get(id).iter().enumerate();
        counts.map(|(thread, count)| (ThreadId::from_index(thread), *count))
    }

    /// How many events of a thread come before.
    #[inline]
    pub(crate) fn of(&self, id: ClockId, thread: ThreadId) -> u32 {
        self.clocks[id.0 as usize].get(thread.index()).copied().unwrap_or(0)
    }

    fn intern(&mut self, clock: Clock) -> ClockId {
        if let Some(id) = self.ids.get(&clock) {
            return *id;
        }
        let id = ClockId(self.clocks.len() as u32);
        self.clocks.push(clock.clone());
        self.ids.insert(clock, id);
        id
    }

    /// The clock with at least `count` events of a thread.
    pub(crate) fn raise(&mut self, id: ClockId, thread: ThreadId, count: u32) -> ClockId {
        if self.of(id, thread) >= count {
            return id;
        }
        let mut clock = self.get(id).clone();
        if clock.len() <= thread.index() {
            clock.resize(thread.index() + 1, 0);
        }
        clock[thread.index()] = count;
        self.intern(clock)
    }

    pub(crate) fn join(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if a == b {
            return a;
        }
        let (x, y) = (self.get(a), self.get(b));
        let (mut long, short) = if x.len() >= y.len() { (x.clone(), y) } else { (y.clone(), x) };
        for (count, more) in long.iter_mut().zip(short) {
            *count = (*count).max(*more);
        }
        self.intern(long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_ids() {
        let mut sets = DepSets::new();
        let (a, b) = (sets.just(3), sets.just(70));
        let ab = sets.union(a, b);
        assert_eq!(ab, sets.union(b, a));
        assert_eq!(sets.union(ab, a), ab);
        assert_eq!(sets.iter(ab).collect::<Vec<_>>(), [3, 70]);
        assert!(sets.contains(ab, 70) && !sets.contains(a, 70));
    }

    #[test]
    fn clocks_join_by_maximum() {
        let mut clocks = Clocks::new();
        let a = clocks.raise(ClockId::default(), ThreadId(0), 2);
        let b = clocks.raise(ClockId::default(), ThreadId(2), 5);
        let joined = clocks.join(a, b);
        assert_eq!(clocks.get(joined).as_slice(), [2, 0, 5]);
        assert_eq!(clocks.join(joined, a), joined);
    }
}
