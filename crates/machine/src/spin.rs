//! Loops that spin: a round that changed nothing is not repeated.
//!
//! At the head of a loop that may spin (see [`crate::loops`]) the state of the thread is compared with that
//! of its last visit. The thread spins if every live register has the same value, and the round changed
//! nothing that this thread or another one can see. Then it repeats the same round until it reads another
//! value, so it is stopped there. No behaviour is lost: take an execution in which the loop continues later,
//! and remove the rounds without effect. In the result the reads of the loop come later, and the search
//! visits that execution too.
//!
//! Changes are counted per thread ([`field::CHANGES`]): stores, also into a buffer; read-modify-writes that
//! change the value; operations on locks, threads and the heap; writes that change private objects. Registers
//! are compared with the help of the undo log: a word that is not in the log since the last visit has not
//! changed.
//!
//! [`Watch`] says which rounds are considered. A search that keeps states ([`crate::codec`]) considers only
//! rounds without visible operations. A thread that runs alone ([`Watch::Alone`]) is compared with some
//! earlier visit, not always the last one. So a cycle of several rounds is found, too.
//!
//! Not recognised, and therefore repeated up to a bound: loops that write in each round, even the same value,
//! and loops that count.

use crate::code::{Code, LoopId, Pc};
use crate::live::live_at_starts;
use crate::machine::Machine;
use crate::run::{STRETCH, Stop};
use crate::thread::{MAX_THREADS, RECORD, Status, ThreadId, field, frame};
use crate::trail::{Mark, Word};
use smallvec::SmallVec;

/// Offsets of a loop's words in a frame. Functions reset them when they are entered.
pub(crate) mod word {
    /// The number of rounds so far.
    pub(crate) const COUNT: u32 = 0;
    /// The length of the undo log at the last visit, plus 1, and the changes counted then.
    pub(crate) const MARK: u32 = 1;
    pub(crate) const CHANGES: u32 = 2;
    pub(crate) const ALL: u32 = 3;
}

/// When a thread is stopped at the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// Whenever the last round had no effect.
    Always,
    /// When the last round had no effect and no visible operation: then every round is like that.
    Silent,
    /// When some number of rounds had no effect. To find out what a thread does if it runs alone. The bound
    /// on iterations does not apply.
    Alone,
}

/// The behaviour of a thread that runs alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spin {
    /// It reaches something else than a round without effect.
    Leaves,
    /// It repeats a loop without effect; some value would let it leave.
    Waits,
    /// It repeats a loop that has no way out.
    GoesOn,
}

/// The heads of loops at which a thread that runs alone was stopped, until it reaches one of them again.
#[derive(Clone, Debug, Default)]
pub struct Rounds(SmallVec<[(u64, LoopId); 4]>);

impl Rounds {
    /// Adds the head of a loop that the thread has reached, at this depth of calls. If the thread was there
    /// before, it is in a cycle, and the outermost loop of the cycle decides the result.
    pub fn come_to(&mut self, code: &Code, depth: u64, id: LoopId) -> Option<Spin> {
        let Some(first) = self.0.iter().position(|known| *known == (depth, id)) else {
            self.0.push((depth, id));
            return None;
        };
        let nesting = |id: &LoopId| code.loops[id.0 as usize].nesting;
        let outermost = self.0[first..].iter().min_by_key(|(depth, id)| (*depth, nesting(id)));
        let leaves = outermost.is_none_or(|(_, id)| code.loops[id.0 as usize].has_way_out);
        Some(if leaves { Spin::Waits } else { Spin::GoesOn })
    }
}

/// The number of newest frames of a thread whose visits survive a compaction of the undo log. Loops of
/// older frames count as not visited.
const FRAMES_WITH_VISITS: usize = 64;

impl Machine<'_> {
    /// Sets when threads are stopped at heads of loops. Returns the previous setting.
    pub fn watch(&mut self, watch: Watch) -> Watch {
        std::mem::replace(&mut self.watch, watch)
    }

    pub fn watches(&self, watch: Watch) -> bool {
        self.watch == watch
    }

    /// Counts a change by the thread that some thread could see.
    #[inline]
    pub fn note_change(&mut self, thread: ThreadId) {
        if self.code.may_spin {
            let changes = self.get(thread, field::CHANGES);
            self.set(thread, field::CHANGES, changes + 1);
        }
    }

    /// Enters a loop from outside.
    pub(crate) fn enter_loop(&mut self, thread: ThreadId, id: LoopId) {
        let words = self.loop_words(thread, id);
        self.trail.set(words.at(word::COUNT), 0);
    }

    /// Passes the head of a loop. Returns the reason to stop there, if there is one.
    pub(crate) fn pass_head(&mut self, thread: ThreadId, id: LoopId) -> Option<Stop> {
        let words = self.loop_words(thread, id);
        let count = self.trail.get(words.at(word::COUNT));
        if let Some(most) = self.code.loops[id.0 as usize].most
            && self.watch != Watch::Alone
        {
            if count > most.into() {
                return Some(Stop::Unrolled);
            }
            self.trail.set(words.at(word::COUNT), count + 1);
        }
        if !self.code.loops[id.0 as usize].may_spin {
            return None;
        }
        let visited = self.trail.get(words.at(word::MARK));
        // No visit in this run of local steps, so the last round, if any, had a visible operation.
        if self.watch == Watch::Silent && visited <= self.run_from {
            self.visit(thread, words);
            return None;
        }
        if self.is_as_before(thread, id, words) {
            return Some(Stop::Spinning);
        }
        if self.watch == Watch::Alone {
            // Brent's cycle detection: the visit to compare with is kept twice as long each time.
            self.trail.set(words.at(word::COUNT), count + 1);
            if !(count + 1).is_power_of_two() {
                return None;
            }
        }
        self.visit(thread, words);
        None
    }

    /// Makes this the visit to compare with. `MARK` must be set first: the first change since the visit is
    /// that of `MARK` itself, which [`Machine::visit_at`] checks.
    fn visit(&mut self, thread: ThreadId, words: Word) {
        let (mark, changes) = (self.trail.mark().index() + 1, self.get(thread, field::CHANGES));
        self.trail.set(words.at(word::MARK), mark);
        self.trail.set(words.at(word::CHANGES), changes);
    }

    /// Compacts the undo log of a run of local steps, if it is long enough to pay. The run began at `start`,
    /// and the thread is at `pc`. Visits to loops are stops of the compaction: what changed since a visit
    /// stays known.
    pub(crate) fn compact(&mut self, thread: ThreadId, pc: Pc, start: Mark) {
        let length = self.trail.changes(start).len() as u64;
        if length < self.worth_compacting {
            return;
        }
        let mut visits = self.visits_since(thread, pc, start);
        let mut stops: Vec<Mark> = visits.iter().map(|(_, visit)| *visit).collect();
        // A story (see `passed`) is told from the changes of these words, and from the state before each.
        let records = u64::from(MAX_THREADS * RECORD);
        let is_narrated = |word: Word| {
            let field = (word.index() % u64::from(RECORD)) as u32;
            word.index() < records && [field::STATUS, field::PC, field::OBJECTS].contains(&field)
        };
        match self.output.is_some() {
            true => self.trail.compact(start, &mut stops, is_narrated),
            false => self.trail.compact(start, &mut stops, |_| false),
        }
        for ((word, visit), moved) in visits.iter_mut().zip(stops) {
            *visit = moved;
            // Not logged: the visit has logged the word's old value already.
            self.trail.set_dead_block(*word, [moved.index() + 1]);
        }
        let left = self.trail.changes(start).len() as u64;
        // A compaction allocates a bit per word, so it pays only for a log of a similar size. The log must at
        // least double between two compactions, so that all of them together cost linear time.
        self.worth_compacting = (2 * left).max(4 * STRETCH).max(self.trail.len() / 64);
    }

    /// The `MARK` words of the loops that were visited since `start`, with their newest visits, in the order
    /// of the visits.
    fn visits_since(&self, thread: ThreadId, pc: Pc, start: Mark) -> Vec<(Word, Mark)> {
        let mut visits = Vec::new();
        let (mut pc, mut frame) = (pc, Word::from_index(self.get(thread, field::FRAME)));
        for _ in 0..FRAMES_WITH_VISITS {
            let func = self.code.function_at(pc);
            for known in self.code.loops.iter().filter(|l| l.may_spin && Some(l.func) == func) {
                let word = frame.at(frame::SLOTS + known.slot.0).at(word::MARK);
                let visit = self.visit_at(word).filter(|visit| *visit >= start);
                visits.extend(visit.map(|visit| (word, visit)));
            }
            let caller = self.trail.get(frame.at(frame::CALLER));
            if caller == 0 {
                break;
            }
            pc = Pc((self.trail.get(frame.at(frame::RETURN_PC)) as u32).saturating_sub(1));
            frame = Word::from_index(caller);
        }
        visits.sort_unstable_by_key(|(_, visit)| *visit);
        visits
    }

    /// The visit in a loop's `MARK` word, if the log still contains it: its first change is the change of
    /// this word. A compaction can leave stale numbers in older frames.
    fn visit_at(&self, word: Word) -> Option<Mark> {
        let visit = Mark::from_index(self.trail.get(word).checked_sub(1)?);
        let (first, _) = self.trail.changes(visit).first()?;
        (*first == word).then_some(visit)
    }

    fn loop_words(&self, thread: ThreadId, id: LoopId) -> Word {
        let slot = self.code.loops[id.0 as usize].slot;
        Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS + slot.0)
    }

    /// Whether the thread is in the same state as at the last visit, and has changed nothing since.
    fn is_as_before(&mut self, thread: ThreadId, id: LoopId, words: Word) -> bool {
        let Some(visit) = self.visit_at(words.at(word::MARK)) else { return false };
        if self.trail.get(words.at(word::CHANGES)) != self.get(thread, field::CHANGES) {
            return false;
        }
        let known = self.code.loops[id.0 as usize];
        let slots = Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS).index();
        let func = &self.code.funcs[known.func.as_u32() as usize];
        let end = slots + u64::from(func.register_slots);
        // The oldest entry of a word holds its value at the time of the visit.
        let mut seen: SmallVec<[Word; 16]> = SmallVec::new();
        let mut changed: SmallVec<[usize; 16]> = SmallVec::new();
        for (word, old) in self.trail.changes(visit) {
            if !(slots..end).contains(&word.index()) || seen.contains(word) {
                continue;
            }
            seen.push(*word);
            if self.trail.get(*word) != *old {
                // A wide register has two words.
                let slot = (word.index() - slots) as u32;
                let after = func.regs.partition_point(|(first, _)| first.0 <= slot);
                changed.push(after - 1);
            }
        }
        if changed.is_empty() {
            return true;
        }
        let live = self.live.entry(known.func).or_insert_with(|| {
            // Computed once per function, and only if one of its loops seems to spin.
            live_at_starts(&self.program.funcs[known.func])
        });
        let live = &live[known.head.as_u32() as usize];
        !changed.iter().any(|reg| live.contains(*reg))
    }

    /// How a thread that was stopped at the head of a loop continues alone, if that is known by now. If not,
    /// the thread is made ready for another round.
    pub fn goes_round(&mut self, thread: ThreadId, rounds: &mut Rounds) -> Option<Spin> {
        let id = self.code.loop_at(self.pc(thread))?;
        let spin = rounds.come_to(&self.code, self.depth(thread), id);
        if spin.is_none() {
            self.resume(thread);
        }
        spin
    }

    /// Whether the loop at whose head a thread was stopped has a way out.
    pub fn could_leave(&self, thread: ThreadId) -> bool {
        let known = self.code.loop_at(self.pc(thread));
        known.is_none_or(|id| self.code.loops[id.0 as usize].has_way_out)
    }

    /// Those of `stopped` that wait for ever, where the threads `going_on` run for ever without changing
    /// anything: all but the threads that join such a thread.
    pub fn stuck(&self, stopped: Vec<ThreadId>, going_on: &[ThreadId]) -> Vec<ThreadId> {
        let mut endless: SmallVec<[ThreadId; 8]> = going_on.into();
        let mut stuck = stopped;
        loop {
            let joins_endless = |thread: &ThreadId| {
                let joined = self.joins(*thread).and_then(|handle| self.thread_of(handle));
                joined.is_some_and(|joined| endless.contains(&joined))
            };
            let Some(n) = stuck.iter().position(joins_endless) else { return stuck };
            endless.push(stuck.remove(n));
        }
    }

    /// The number of frames of a thread.
    fn depth(&self, thread: ThreadId) -> u64 {
        let (mut depth, mut base) = (0, self.get(thread, field::FRAME));
        while base != 0 {
            depth += 1;
            base = self.trail.get(Word::from_index(base).at(frame::CALLER));
        }
        depth
    }

    /// Makes a spinning thread ready for another round, to see whether it would still spin.
    fn resume(&mut self, thread: ThreadId) {
        let Pc(at) = self.pc(thread);
        if let Some(id) = self.code.loop_at(Pc(at)) {
            let words = self.loop_words(thread, id);
            self.trail.set(words.at(word::COUNT), 0);
            self.visit(thread, words);
        }
        self.set_status(thread, Status::Ready);
        self.step(thread);
    }
}
