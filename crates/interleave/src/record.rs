//! Recording events: happens-before and races.
//!
//! Paper 000, appendix B. A cell's word leads to its newest write and to the reads since. A read
//! happens after the newest write, unless that is an update of its own thread; a write happens
//! after the newest write and the reads since. All earlier accesses happen before those already.
//!
//! A *race* of a new event is an earlier event that happens before it because of such a conflict
//! alone: neither through program order (or the store, for an update) nor through another conflict.
//! An operation that waits for a value (a lock, an `await`) cannot be moved before the write that
//! gave it that value; it races with the newest write before which it could have happened.

use crate::buffer::Entry;
use crate::clock::{Chain, ClockId};
use crate::event::{Action, CellWord, Class, Condition, Event, Identity, Link};
use crate::system::{System, field};
use raddle_ir::{IntPred, Type};
use raddle_machine::memory::{Place, Purpose};
use raddle_machine::{Fault, FaultKind, ThreadId, Word, int_pred};
use smallvec::SmallVec;

/// A reversible race of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    /// Position of the earlier event.
    pub earlier: u32,
    /// What the later event needs to have happened before it, if it is moved before the earlier.
    pub needs: ClockId,
    /// Position of the later event; an operation that waits has none, nor has an alternative to
    /// the earlier event.
    pub happened: Option<u32>,
}

/// What an operation waits for: a value that compares so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub pred: IntPred,
    pub ty: Type,
    pub value: u128,
}

impl Needs {
    pub fn met_by(&self, value: u128) -> bool {
        int_pred(self.pred, self.ty, value, self.value)
    }
}

/// What an event says of itself beside its action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording {
    /// The value before a write.
    pub old: u128,
    pub condition: Condition,
    pub needs: Option<Needs>,
    /// Whether the event is one alternative of several.
    pub open: bool,
}

impl Default for Recording {
    fn default() -> Recording {
        Recording { old: 0, condition: Condition::Fixed, needs: None, open: false }
    }
}

/// Conflicts of the event being recorded: positions of earlier events, writes first.
#[derive(Default)]
struct Conflicts {
    events: SmallVec<[u32; 8]>,
    writes: usize,
}

impl Conflicts {
    #[inline]
    fn add(&mut self, event: u32) {
        if !self.events.contains(&event) {
            self.events.push(event);
        }
    }
}

impl System<'_> {
    /// Records an event of a thread. `place` is `None` if it does not touch memory.
    pub fn record_step(
        &mut self,
        action: Action,
        place: Option<Place>,
        recording: Recording,
        races: &mut Vec<Race>,
    ) -> u32 {
        self.record_step_inline(action, place, recording, races)
    }

    /// [`System::record_step`], for the commonest events.
    #[inline(always)]
    pub fn record_step_inline(
        &mut self,
        action: Action,
        place: Option<Place>,
        recording: Recording,
        races: &mut Vec<Race>,
    ) -> u32 {
        let thread = action.thread;
        let base = self.clock(thread, field::CLOCK);
        let position = self.record(action, base, place, recording, None, races);
        let clock = self.events[position as usize].clock;
        self.set(thread, field::CLOCK, clock.0.into());
        position
    }

    /// Records an event that already has `base` behind it; `entry` if it is an update.
    #[inline(always)]
    pub fn record(
        &mut self,
        action: Action,
        base: ClockId,
        place: Option<Place>,
        recording: Recording,
        entry: Option<&Entry>,
        races: &mut Vec<Race>,
    ) -> u32 {
        let position = self.events.len() as u32;
        let (one, mut many);
        let cells: &[Word] = match place.filter(|place| place.bytes() > 0) {
            None => &[],
            Some(place) => match self.machine.memory.single_cell(&self.machine.trail, place) {
                Some(cell) => {
                    one = [cell];
                    &one
                }
                None => {
                    many = Vec::new();
                    self.machine.memory.cells(&mut self.machine.trail, place, &mut many);
                    &many
                }
            },
        };
        let mut conflicts = Conflicts::default();
        let source = self.gather(&action, base, cells, &mut conflicts);
        let base = self.after_own_updates(&action, base, &mut conflicts);
        let clock = self.clocks.copy(base);
        for event in &conflicts.events {
            self.clocks.join(clock, self.events[*event as usize].clock);
        }
        let chain = match entry {
            None => self.process(action.thread).chain,
            Some(_) => self.update_chain(action.thread, clock),
        };
        let index = self.clocks.get(clock, chain) + 1;
        self.clocks.set(clock, chain, index);
        let identity = match entry {
            None => Identity::step(action.thread, index),
            Some(entry) => Identity::store(action.thread, entry.index),
        };
        self.events.push(Event {
            action,
            chain,
            index,
            clock,
            old: recording.old,
            condition: recording.condition,
            open: recording.open,
            identity,
            source,
        });
        if self.wants_races && !conflicts.events.is_empty() {
            self.find_races(&action, base, recording.needs, cells, &conflicts, races);
        }
        for cell in cells {
            self.note_access(*cell, position, &action, entry);
        }
        position
    }

    /// Collects the events that conflict with the action and that `base` has not seen already, and
    /// names what the action reads from or overwrites.
    #[inline]
    fn gather(
        &self,
        action: &Action,
        base: ClockId,
        cells: &[Word],
        conflicts: &mut Conflicts,
    ) -> Identity {
        let mut source = Identity::INITIAL;
        for cell in cells {
            let word = CellWord::unpack(self.machine.trail.get(*cell));
            if let Some(write) = self.linked(word.write) {
                let event = &self.events[write as usize];
                source = source.and(event.identity);
                let own = action.class == Class::Read
                    && event.action.update
                    && event.action.thread == action.thread
                    && event.action.covers(action);
                if !own && !self.seen(write, base) {
                    conflicts.add(write);
                }
            }
        }
        conflicts.writes = conflicts.events.len();
        if action.class == Class::Write {
            for cell in cells {
                let mut link = CellWord::unpack(self.machine.trail.get(*cell)).read;
                while let Some(read) = self.linked(link) {
                    if !self.seen(read, base) {
                        conflicts.add(read);
                    }
                    link = self.links[link as usize - 1].before;
                }
            }
        }
        source
    }

    /// Updates of one thread to one location leave in order, and a load waits for the updates of its
    /// own thread that it could not get all its bytes from: no race, but something to wait for.
    #[inline]
    fn after_own_updates(
        &mut self,
        action: &Action,
        mut base: ClockId,
        conflicts: &mut Conflicts,
    ) -> ClockId {
        if !action.update && action.class != Class::Read {
            return base;
        }
        let mut n = 0;
        while n < conflicts.writes {
            let event = &self.events[conflicts.events[n] as usize];
            if event.action.update && event.action.thread == action.thread {
                base = self.clocks.joined(base, event.clock);
                conflicts.events.remove(n);
                conflicts.writes -= 1;
            } else {
                n += 1;
            }
        }
        base
    }

    #[inline]
    fn linked(&self, link: u32) -> Option<u32> {
        link.checked_sub(1).map(|link| self.links[link as usize].event)
    }

    /// A chain of the thread's updates that an update with this clock extends.
    fn update_chain(&mut self, thread: ThreadId, clock: ClockId) -> Chain {
        let chains = &self.process(thread).update_chains;
        let fits = chains.iter().copied().find(|(chain, newest)| {
            let newest = ClockId(self.machine.trail.get(*newest) as u32);
            self.clocks.get(newest, *chain) == self.clocks.get(clock, *chain)
        });
        let (chain, newest) = fits.unwrap_or_else(|| {
            let chain = self.new_chain();
            let newest = self.machine.trail.reserve(1);
            self.processes[thread.0 as usize].update_chains.push((chain, newest));
            (chain, newest)
        });
        self.machine.trail.set(newest, clock.0.into());
        chain
    }

    #[inline]
    fn note_access(&mut self, cell: Word, position: u32, action: &Action, entry: Option<&Entry>) {
        let mut word = CellWord::unpack(self.machine.trail.get(cell));
        if action.class == Class::Read {
            let mut before = word.read;
            // The newest read of a thread stands for its earlier ones.
            if let Some(last) = self.linked(before)
                && self.events[last as usize].action.thread == action.thread
            {
                before = self.links[before as usize - 1].before;
            }
            self.links.push(Link { event: position, before });
            word.read = self.links.len() as u32;
        } else {
            self.links.push(Link { event: position, before: word.write });
            word = CellWord { write: self.links.len() as u32, read: 0 };
            if let Some(load) = entry.and_then(|entry| entry.load.checked_sub(1)) {
                self.links.push(Link { event: load, before: 0 });
                word.read = self.links.len() as u32;
            }
        }
        self.machine.trail.set(cell, word.pack());
    }

    /// Whether the event at `position` is among what `clock` has seen.
    #[inline]
    pub fn seen(&self, position: u32, clock: ClockId) -> bool {
        let event = &self.events[position as usize];
        event.index <= self.clocks.get(clock, event.chain)
    }

    #[inline]
    fn find_races(
        &mut self,
        action: &Action,
        base: ClockId,
        needs: Option<Needs>,
        cells: &[Word],
        conflicts: &Conflicts,
        races: &mut Vec<Race>,
    ) {
        let happened = Some(self.events.len() as u32 - 1);
        for (n, event) in conflicts.events.iter().copied().enumerate() {
            // The updates that a load waited for may have seen it.
            if self.seen(event, base) || self.is_behind_another(event, conflicts) {
                continue;
            }
            if n >= conflicts.writes {
                let needs = self.needs_without(event, base, conflicts);
                races.push(Race { earlier: event, needs, happened });
                continue;
            }
            let race = match needs {
                // With one cell, the other conflicts are reads of what this event wrote.
                None if cells.len() == 1 => Some(Race { earlier: event, needs: base, happened }),
                None => {
                    let needs = self.needs_without(event, base, conflicts);
                    Some(Race { earlier: event, needs, happened })
                }
                Some(needs) => self
                    .last_chance(action.thread, cells, base, needs)
                    .map(|earlier| Race { earlier, needs: base, happened }),
            };
            races.extend(race);
        }
    }

    /// Whether a conflicting event happens before another one.
    #[inline]
    fn is_behind_another(&self, event: u32, conflicts: &Conflicts) -> bool {
        conflicts.events.len() > 1
            && conflicts.events.iter().any(|other| {
                *other != event && self.seen(event, self.events[*other as usize].clock)
            })
    }

    /// What an event still needs if it is moved before one that it conflicts with: the other
    /// conflicts that do not happen after that one. (A load of the same bytes by the thread of a
    /// write that it need not happen after gets that write's value from the buffer then.)
    fn needs_without(&mut self, event: u32, base: ClockId, conflicts: &Conflicts) -> ClockId {
        let moved = self.events[event as usize].action;
        let mut needs = base;
        for (n, other) in conflicts.events.iter().enumerate() {
            let Event { clock, action, .. } = self.events[*other as usize];
            let reads_it =
                n >= conflicts.writes && moved.class == Class::Write && action.overlaps(&moved);
            if *other != event && !reads_it && !self.seen(event, clock) {
                needs = self.clocks.joined(needs, clock);
            }
        }
        needs
    }

    /// The newest write that an operation which waits for a value could have happened before, not
    /// being ordered after it otherwise.
    fn last_chance(
        &self,
        thread: ThreadId,
        cells: &[Word],
        base: ClockId,
        needs: Needs,
    ) -> Option<u32> {
        let [cell] = cells else { return None };
        let mut link = CellWord::unpack(self.machine.trail.get(*cell)).write;
        while let Some(write) = self.linked(link) {
            // Before an update of its own thread, it would see the store in the buffer.
            if self.seen(write, base) || self.events[write as usize].action.thread == thread {
                return None;
            }
            if needs.met_by(self.events[write as usize].old) {
                return Some(write);
            }
            link = self.links[link as usize - 1].before;
        }
        None
    }

    /// Fails a thread that waits for a value at bytes which other accesses touch in part: what it
    /// could have waited for earlier is not looked at then.
    pub fn check_wait(&mut self, action: &Action) {
        let trail = &self.machine.trail;
        let memory = &self.machine.memory;
        let Ok(place) = memory.place(trail, action.addr, action.bytes, Purpose::Read) else {
            return;
        };
        let mut link = match memory.single_cell(trail, place) {
            Some(cell) => CellWord::unpack(trail.get(cell)).write,
            None => return self.fail_mixed(action.thread),
        };
        while let Some(write) = self.linked(link) {
            let write = &self.events[write as usize].action;
            if (write.addr, write.bytes) != (action.addr, action.bytes) {
                return self.fail_mixed(action.thread);
            }
            link = self.links[link as usize - 1].before;
        }
    }

    fn fail_mixed(&mut self, thread: ThreadId) {
        let message =
            "waits for a value at bytes that are also accessed in part or as part of more";
        self.fail(thread, Fault::new(FaultKind::Unsupported, message));
    }

    /// The race of an operation that waits at the end of an execution.
    pub fn waiting_race(&mut self, action: &Action, needs: Needs) -> Option<Race> {
        let trail = &self.machine.trail;
        let place =
            self.machine.memory.place(trail, action.addr, action.bytes, Purpose::Read).ok()?;
        let cell = self.machine.memory.single_cell(trail, place)?;
        let mut base = self.clock(action.thread, field::CLOCK);
        if action.class == Class::Write {
            // A lock: it waits for the thread's updates, and for the signal if it is a wake-up.
            for field in [field::UPDATES, field::WOKEN_BY] {
                base = self.clocks.joined(base, self.clock(action.thread, field));
            }
        }
        let earlier = self.last_chance(action.thread, &[cell], base, needs)?;
        Some(Race { earlier, needs: base, happened: None })
    }

    /// Position, plus 1, of the newest write to a cell; 0 if it has its initial value.
    pub fn last_write(&self, addr: u64, bytes: u32) -> Option<u32> {
        let trail = &self.machine.trail;
        let place = self.machine.memory.place(trail, addr, bytes, Purpose::Read).ok()?;
        let cell = self.machine.memory.single_cell(trail, place)?;
        let write = CellWord::unpack(trail.get(cell)).write;
        Some(self.linked(write).map_or(0, |event| event + 1))
    }
}
