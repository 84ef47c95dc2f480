//! Loops that spin: an iteration that changed nothing is never worth repeating as things are.
//!
//! At the head of a loop that may spin (see [`crate::loops`]) the thread compares itself with how it
//! was at its last visit: if no register that is still to be read has another value, and nothing
//! that others or the thread itself could see was changed on the way, it will go on like that until
//! what it reads is different. It is stopped there. Nothing is lost by that: an execution in which
//! the loop goes on later is, without the iterations that did nothing, one in which its reads come
//! later, and the search has that one too.
//!
//! What counts as a change is counted per thread ([`field::CHANGES`]): stores, also into a buffer,
//! read-modify-writes that write another value than they found, operations on locks, threads and
//! the heap, writes of other values to private objects. Registers are compared by the undo log: a
//! word that is not in it since the last visit has not changed.
//!
//! [`Watch`] says when heads are looked at: a search that keeps states ([`crate::codec`]) looks only for loops that
//! read nothing. A thread that is alone ([`Watch::Alone`]) is compared with some earlier visit,
//! not always the last, so that it is also found to go round if it takes several rounds to be as before.
//!
//! Not recognised, and so repeated until a bound says otherwise: loops that write something each
//! time round, even if it is the same value, and loops that count.

use crate::code::{Code, LoopId, Pc};
use crate::live::live_at_starts;
use crate::machine::Machine;
use crate::run::{STRETCH, Stop};
use crate::thread::{MAX_THREADS, RECORD, Status, ThreadId, field, frame};
use crate::trail::{Mark, Word};
use raddle_ir::Reg;
use smallvec::SmallVec;

/// Offsets of a loop's words in a frame. Functions reset them when they are entered.
pub(crate) mod word {
    /// How often the loop went back.
    pub const COUNT: u32 = 0;
    /// The length of the undo log at the last visit, plus 1, and the changes counted then.
    pub const MARK: u32 = 1;
    pub const CHANGES: u32 = 2;
    pub const ALL: u32 = 3;
}

/// When a thread is stopped at the head of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// Whenever the last round did nothing.
    Always,
    /// When the last round did nothing and had no visible operation: then every round is like that.
    Silent,
    /// When some number of rounds did nothing. To find out what a thread does if nothing else
    /// happens; no bound ends that.
    Alone,
}

/// How a thread goes on if nothing else happens any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spin {
    /// It comes to something that is not a round of a loop for nothing.
    Leaves,
    /// It goes round a loop for nothing; some value could let it leave.
    Waits,
    /// It goes round a loop without a way out.
    GoesOn,
}

/// The heads of loops at which a thread that is alone was stopped, until it comes to one again.
#[derive(Clone, Debug, Default)]
pub struct Rounds(SmallVec<[(u64, LoopId); 4]>);

impl Rounds {
    /// Adds the head of a loop that the thread is at, so many calls deep. If it was there before, the
    /// thread goes round: the outermost loop since then is the one that counts.
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

/// How many of a thread's newest frames keep their visits when the undo log is made shorter. Loops of
/// the others count as not visited.
const FRAMES_WITH_VISITS: usize = 64;

impl Machine<'_> {
    /// Says when threads are stopped at heads of loops; gives what was said before.
    pub fn watch(&mut self, watch: Watch) -> Watch {
        std::mem::replace(&mut self.watch, watch)
    }

    pub fn watches(&self, watch: Watch) -> bool {
        self.watch == watch
    }

    /// Notes that the thread did something that can make a difference to anyone.
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

    /// Is at the head of a loop: the reason to stop there, if there is one.
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
        if self.watch == Watch::Silent && visited <= self.run_from {
            self.visit(thread, words);
            return None;
        }
        if self.is_as_before(thread, id, words) {
            return Some(Stop::Spinning);
        }
        if self.watch == Watch::Alone {
            // As Brent finds cycles: the visit to compare with stays for twice as long each time.
            self.trail.set(words.at(word::COUNT), count + 1);
            if !(count + 1).is_power_of_two() {
                return None;
            }
        }
        self.visit(thread, words);
        None
    }

    fn visit(&mut self, thread: ThreadId, words: Word) {
        let (mark, changes) = (self.trail.mark().index() + 1, self.get(thread, field::CHANGES));
        self.trail.set(words.at(word::MARK), mark);
        self.trail.set(words.at(word::CHANGES), changes);
    }

    /// Makes the undo log of a run of local steps short, as long as it pays. The run began at `start`, and
    /// the thread is at `pc`.
    pub(crate) fn compact(&mut self, thread: ThreadId, pc: Pc, start: Mark) {
        let length = self.trail.changes(start).len() as u64;
        if length < self.worth_compacting {
            return;
        }
        let mut visits = self.visits_since(thread, pc, start);
        let mut stops: Vec<Mark> = visits.iter().map(|(_, visit)| *visit).collect();
        // What a story is told from (see `passed`) are these changes, and the past before each.
        let records = u64::from(MAX_THREADS * RECORD);
        let told = |word: Word| {
            let field = (word.index() % u64::from(RECORD)) as u32;
            word.index() < records && [field::STATUS, field::PC, field::OBJECTS].contains(&field)
        };
        match self.output.is_some() {
            true => self.trail.compact(start, &mut stops, told),
            false => self.trail.compact(start, &mut stops, |_| false),
        }
        for ((word, visit), moved) in visits.iter_mut().zip(stops) {
            *visit = moved;
            // The old value is in the log since the visit.
            self.trail.set_dead_block(*word, [moved.index() + 1]);
        }
        let left = self.trail.changes(start).len() as u64;
        // A look at the words takes a bit of each.
        self.worth_compacting = (2 * left).max(4 * STRETCH).max(self.trail.len() / 64);
    }

    /// The words with the newest visits to loops that were made since `start`, in the order of the visits.
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

    /// The visit that a loop's word tells of, if the log still has it: its first change is that word's.
    fn visit_at(&self, word: Word) -> Option<Mark> {
        let visit = Mark::from_index(self.trail.get(word).checked_sub(1)?);
        let (first, _) = self.trail.changes(visit).first()?;
        (*first == word).then_some(visit)
    }

    fn loop_words(&self, thread: ThreadId, id: LoopId) -> Word {
        let slot = self.code.loops[id.0 as usize].slot;
        Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS + slot.0)
    }

    /// Whether nothing has changed since the last visit.
    fn is_as_before(&mut self, thread: ThreadId, id: LoopId, words: Word) -> bool {
        let Some(visit) = self.visit_at(words.at(word::MARK)) else { return false };
        if self.trail.get(words.at(word::CHANGES)) != self.get(thread, field::CHANGES) {
            return false;
        }
        let known = self.code.loops[id.0 as usize];
        let slots = Word::from_index(self.get(thread, field::FRAME)).at(frame::SLOTS).index();
        let func = &self.code.funcs[known.func.as_u32() as usize];
        let end = slots + u64::from(func.register_slots);
        // The oldest entry of a word has its value at the time of the visit.
        let mut seen: SmallVec<[Word; 16]> = SmallVec::new();
        let mut changed: SmallVec<[Reg; 16]> = SmallVec::new();
        for (word, old) in self.trail.changes(visit) {
            if !(slots..end).contains(&word.index()) || seen.contains(word) {
                continue;
            }
            seen.push(*word);
            if self.trail.get(*word) != *old {
                // A wide register has two words.
                let slot = (word.index() - slots) as u32;
                let after = func.regs.partition_point(|(first, _)| first.0 <= slot);
                changed.push(Reg::from_u32(after as u32 - 1));
            }
        }
        if changed.is_empty() {
            return true;
        }
        let live = self.live.entry(known.func).or_insert_with(|| {
            // Made once per function, and only if one of its loops seems to spin.
            live_at_starts(&self.program.funcs[known.func])
        });
        let live = &live[known.head.as_u32() as usize];
        !changed.iter().any(|reg| live.contains(*reg))
    }

    /// How a thread that was stopped at the head of a loop goes on alone, if that is known by now;
    /// otherwise it takes another turn.
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

    /// Those of `stopped` that will never go on, where these threads go on for ever without changing
    /// anything: all but threads that wait for the end of such a thread.
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

    /// How many calls deep a thread is.
    fn depth(&self, thread: ThreadId) -> u64 {
        let (mut depth, mut base) = (0, self.get(thread, field::FRAME));
        while base != 0 {
            depth += 1;
            base = self.trail.get(Word::from_index(base).at(frame::CALLER));
        }
        depth
    }

    /// Lets a thread that spins take another turn, to see whether it would still spin.
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
