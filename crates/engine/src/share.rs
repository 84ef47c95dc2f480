//! Sharing one depth-first search among several workers, without changing what it does.
//!
//! A depth-first search visits its tree in one order. A *segment* is a part of the search that is consecutive in this
//! order, and is run by one worker. It begins as a subtree that its owner has come past but has not explored yet: the
//! owner *offers* it ([`Sharing::offer`]) and keeps a [`Slot`] in its place. When the owner reaches the slot, one of
//! three things is the case ([`Slot::reach`]):
//!
//! | the subtree | |
//! |---|---|
//! | was not begun | the owner explores it as if it had never been offered |
//! | is done | the owner takes over its results and goes on behind it |
//! | is being explored | the owner leaves all that is left of its own segment to the worker that explores it, and is free for another |
//!
//! In the last case the other worker takes over what was left when it has come to the end of the subtree
//! ([`Slot::end`]), or earlier ([`Slot::taken_over`]). So segments are put together in the order of the search, whoever
//! runs them, and no worker waits for another one while there is a subtree that nobody explores.
//!
//! An engine uses this where a subtree does not depend on what is found before it in the order of the search. What it
//! finds for states above its root is part of its results, and takes effect when the segments are put together. Then
//! counts, findings and their order are those of a search by one worker.

use crate::frontier::{Item, Moment};
use crate::keeper::Keeper;
use serde::de::Deserializer;
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The state of a subtree that was offered: a task `T` before it is begun, results `D` when it is done, or what its owner
/// has left `L`.
#[derive(Debug)]
enum Subtree<T, D, L> {
    /// Nobody explores it now.
    Open(T),
    Begun,
    Done(D),
    Left(L),
    /// Another process explores it: the name of its task.
    Away(u64),
    /// The owner has stopped: it takes no results.
    Closed,
    /// Results or rest were taken over.
    Over,
}

#[derive(Debug)]
struct Shared<T, D, L> {
    subtree: Mutex<Subtree<T, D, L>>,
    /// The subtree as it is now, while all workers rest: for a frontier.
    copy: Mutex<Option<T>>,
    /// Whether the owner has left the rest of its segment.
    is_left: AtomicBool,
}

/// The place of a subtree that was offered.
#[derive(Debug)]
pub struct Slot<T, D, L>(Arc<Shared<T, D, L>>);

impl<T, D, L> Clone for Slot<T, D, L> {
    fn clone(&self) -> Self {
        Slot(Arc::clone(&self.0))
    }
}

/// A task as far as sharing needs to know it.
pub trait Task {
    /// Whether nothing of the subtree was explored, so that its owner can do that in passing.
    fn is_untouched(&self) -> bool;

    /// The number of events or decisions on the way to the subtree.
    fn depth(&self) -> usize;
}

/// What the owner of a subtree finds when it reaches its slot.
#[derive(Debug)]
pub enum Reached<T, D> {
    /// Nobody has begun the subtree, and nobody will but the owner.
    Open,
    Done(D),
    /// Another worker goes on with what was left to it.
    Left,
    /// A part of the subtree was explored, and nobody goes on with it now. The owner has left the rest of its segment to
    /// it, and is the one to begin it.
    Begun(T),
    /// Another process explores it. The owner has left nothing.
    Away,
}

/// What becomes of a subtree that was explored.
#[derive(Debug)]
pub enum Explored<L> {
    /// The owner gets the results when it comes to the slot.
    Kept,
    /// The owner was there, and left the rest of its segment.
    GoesOn(L),
    /// The owner has stopped. The results are still the worker's.
    Closed,
}

impl<T, D, L> Slot<T, D, L> {
    fn lock(&self) -> MutexGuard<'_, Subtree<T, D, L>> {
        // A worker that panics takes the whole search with it, so nobody reads what it left half done.
        self.0.subtree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(subtree: Subtree<T, D, L>) -> Self {
        let (subtree, copy) = (Mutex::new(subtree), Mutex::new(None));
        Slot(Arc::new(Shared { subtree, copy, is_left: AtomicBool::new(false) }))
    }

    /// The slot of a subtree that is to be explored.
    pub fn open(task: T) -> Self {
        Slot::new(Subtree::Open(task))
    }

    /// Whether it is the same slot.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits for the subtree to be done, at most this long. For an owner to whom leaving its segment costs as much.
    pub fn wait(&self, longest: Duration) {
        let start = Instant::now();
        while matches!(*self.lock(), Subtree::Begun) && start.elapsed() < longest {
            thread::sleep(Duration::from_micros(20));
        }
    }

    /// Reaches the subtree in the order of the search. `leave` gives the rest of the owner's segment away.
    pub fn reach(&self, leave: impl FnOnce() -> L) -> Reached<T, D>
    where
        T: Task,
    {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Over) {
            Subtree::Done(results) => Reached::Done(results),
            Subtree::Begun => {
                *subtree = Subtree::Left(leave());
                self.0.is_left.store(true, Relaxed);
                Reached::Left
            }
            Subtree::Open(task) if !task.is_untouched() => {
                *subtree = Subtree::Left(leave());
                self.0.is_left.store(true, Relaxed);
                Reached::Begun(task)
            }
            Subtree::Away(name) => {
                *subtree = Subtree::Away(name);
                Reached::Away
            }
            Subtree::Open(_) | Subtree::Left(_) | Subtree::Closed | Subtree::Over => Reached::Open,
        }
    }

    /// The subtree is explored, with these results.
    pub fn end(&self, results: impl FnOnce() -> D) -> Explored<L> {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Over) {
            Subtree::Left(rest) => Explored::GoesOn(rest),
            Subtree::Closed => Explored::Closed,
            _ => {
                *subtree = Subtree::Done(results());
                Explored::Kept
            }
        }
    }

    /// The owner stops before it has reached the subtree: the results, if it is done.
    pub fn close(&self) -> Option<D> {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Closed) {
            Subtree::Done(results) => Some(results),
            _ => None,
        }
    }

    /// The rest that the owner has left, if it has: for the worker that explores the subtree.
    #[inline]
    pub fn taken_over(&self) -> Option<L> {
        if !self.0.is_left.load(Relaxed) {
            return None;
        }
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Over) {
            Subtree::Left(rest) => Some(rest),
            other => {
                *subtree = other;
                None
            }
        }
    }

    fn begin(&self) -> Option<T> {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Begun) {
            Subtree::Open(task) => Some(task),
            other => {
                *subtree = other;
                None
            }
        }
    }

    /// The worker that explores the subtree cannot go on now. If the owner has left the rest of its segment meanwhile, the
    /// worker has to take that over first.
    pub fn put_back(&self, task: T) -> Result<(), L> {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Over) {
            Subtree::Left(left) => Err(left),
            _ => {
                *subtree = Subtree::Open(task);
                Ok(())
            }
        }
    }

    /// Notes the subtree as it is now, for a frontier, or forgets it.
    pub fn set_copy(&self, task: Option<T>) {
        *self.0.copy.lock().unwrap_or_else(PoisonError::into_inner) = task;
    }
}

/// The form of a subtree in a frontier.
#[derive(Serialize)]
enum Written<'a, T, D> {
    Open(&'a T),
    Done(&'a D),
    Away(u64),
}

/// [`Written`], read.
#[derive(Deserialize)]
enum Read<T, D> {
    Open(T),
    Done(D),
    Away(u64),
}

/// While the workers rest, a subtree that is being explored is written as it is now.
impl<T: Serialize, D: Serialize, L> Serialize for Slot<T, D, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let subtree = self.lock();
        let copy = self.0.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match (&*subtree, &*copy) {
            (Subtree::Open(task), _) | (Subtree::Begun, Some(task)) => Written::Open(task),
            (Subtree::Done(results), _) => Written::Done(results),
            (Subtree::Away(name), _) => Written::Away(*name),
            (Subtree::Begun | Subtree::Left(_) | Subtree::Over | Subtree::Closed, _) => {
                return Err(S::Error::custom("a subtree is being explored"));
            }
        };
        written.serialize(serializer)
    }
}

impl<'d, T: Deserialize<'d>, D: Deserialize<'d>, L> Deserialize<'d> for Slot<T, D, L> {
    fn deserialize<R: Deserializer<'d>>(reader: R) -> Result<Self, R::Error> {
        Ok(Slot::new(match Read::deserialize(reader)? {
            Read::Open(task) => Subtree::Open(task),
            Read::Done(results) => Subtree::Done(results),
            Read::Away(name) => Subtree::Away(name),
        }))
    }
}

/// A part of a frontier, in the order of the search.
#[derive(Debug)]
pub enum Found<'a, T, D> {
    Task(&'a T),
    Done(&'a D),
    Away(u64),
}

/// A value that has subtrees in it.
pub trait Subtrees<T, D, L> {
    /// Visits them in the order of the search.
    fn each(&self, visit: &mut dyn FnMut(&Slot<T, D, L>));
}

impl<T: Subtrees<T, D, L>, D, L> Slot<T, D, L> {
    /// Visits all parts of the subtree in the order of the search; while the workers rest, as they are now.
    pub fn walk(&self, visit: &mut dyn FnMut(&Self, Found<'_, T, D>)) {
        let subtree = self.lock();
        let copy = self.0.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let task = match (&*subtree, &*copy) {
            (Subtree::Done(results), _) => return visit(self, Found::Done(results)),
            (Subtree::Away(name), _) => return visit(self, Found::Away(*name)),
            (Subtree::Open(task), _) | (_, Some(task)) => task,
            _ => return,
        };
        visit(self, Found::Task(task));
        task.each(&mut |slot| slot.walk(visit));
    }

    /// Whether nobody has begun the subtree or goes on with it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(&*self.lock(), Subtree::Open(..))
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(&*self.lock(), Subtree::Done(_))
    }

    /// Gives the subtree to another process, which knows it by this name. Returns it.
    pub(crate) fn give_away(&self, name: u64) -> Self {
        Slot::new(mem::replace(&mut *self.lock(), Subtree::Away(name)))
    }

    /// The other process has explored the subtree, or a part of it.
    pub(crate) fn come_back(&self, from: &Self) {
        *self.lock() = mem::replace(&mut *from.lock(), Subtree::Over);
    }
}

/// When a worker offers subtrees. Small ones cost more than they bring, so there are fewer and fewer offers while most are small
/// ([`Sharing::explored`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Offers {
    /// The executions to wait for.
    left: u64,
}

/// A subtree of fewer executions is small.
const SMALL: u64 = 50;
/// The executions to wait for after a small subtree, at least and at most.
const PAUSES: [u64; 2] = [16, 1 << 13];

/// The subtrees that were offered and are not begun, and the workers that look for one.
#[derive(Debug)]
pub struct Sharing<T, D, L> {
    offered: Mutex<Offered<T, D, L>>,
    changed: Condvar,
    /// The number of idle workers, without those for which a subtree was offered; [`OVER`] at the end.
    wanted: AtomicIsize,
    /// The executions between two offers of a worker.
    pause: AtomicU64,
}

const OVER: isize = isize::MIN;

#[derive(Debug)]
struct Offered<T, D, L> {
    slots: VecDeque<Slot<T, D, L>>,
    workers: usize,
    idle: usize,
    /// Whether a subtree was taken.
    has_begun: bool,
    /// The workers that rest, so that the frontier can be saved; whether all do; those that have noted their parts of it;
    /// and how often it was saved.
    resting: usize,
    is_gathered: bool,
    copied: usize,
    saved: u64,
    is_over: bool,
}

impl<T, D, L> Sharing<T, D, L> {
    /// The workers begin idle.
    pub fn new() -> Sharing<T, D, L> {
        Sharing {
            offered: Mutex::new(Offered {
                slots: VecDeque::new(),
                workers: 0,
                idle: 0,
                has_begun: false,
                resting: 0,
                is_gathered: false,
                copied: 0,
                saved: 0,
                is_over: false,
            }),
            changed: Condvar::new(),
            wanted: AtomicIsize::new(0),
            pause: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Offered<T, D, L>> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, offered: &Offered<T, D, L>) {
        let wanted = offered.idle as isize - offered.slots.len() as isize;
        self.wanted.store(if offered.is_over { OVER } else { wanted }, Relaxed);
    }

    /// Whether a worker would take a subtree.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Relaxed) > 0
    }

    /// Whether the search is over, and its workers should stop.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.wanted.load(Relaxed) == OVER
    }

    /// Whether a worker would take a subtree, and one should be offered. Asked after every execution.
    #[inline]
    pub fn is_time(&self, offers: &mut Offers) -> bool {
        if !self.is_wanted() {
            return false;
        }
        let is_time = offers.left == 0;
        offers.left = if is_time { self.pause.load(Relaxed) } else { offers.left - 1 };
        is_time
    }

    /// A subtree that was offered had so many executions.
    pub fn explored(&self, executions: u64) {
        let pause = self.pause.load(Relaxed);
        let [least, most] = PAUSES;
        let next = if executions < SMALL { (pause * 2).clamp(least, most) } else { pause / 4 };
        self.pause.store(next, Relaxed);
    }

    /// Offers a subtree.
    pub fn offer(&self, task: T) -> Slot<T, D, L> {
        let slot = Slot::open(task);
        self.offer_slot(slot.clone());
        slot
    }

    fn offer_slot(&self, slot: Slot<T, D, L>) {
        let mut offered = self.lock();
        offered.slots.push_back(slot);
        self.count(&offered);
        self.changed.notify_one();
    }

    /// A worker begins. It is not idle yet.
    fn enter(&self) {
        self.lock().workers += 1;
    }

    /// Waits for a subtree to explore; `None` when the search is over: somebody has said so, or all workers wait. Rests while
    /// the frontier is to be saved.
    fn take(&self, saving: Option<&Saving<'_, T, D, L>>) -> Option<(T, Slot<T, D, L>)> {
        let mut offered = self.lock();
        offered.idle += 1;
        loop {
            if offered.is_over {
                return None;
            }
            // Every search has at least one execution before it is saved.
            let can_rest = offered.has_begun || offered.slots.is_empty();
            if let Some(saving) = saving.filter(|saving| can_rest && saving.keeper.is_due()) {
                if self.gather(&mut offered) && offered.resting == 0 {
                    self.save(&mut offered, saving);
                    continue;
                }
            } else if let Some(slot) = offered.slots.pop_front() {
                if let Some(task) = slot.begin() {
                    offered.has_begun = true;
                    offered.idle -= 1;
                    self.count(&offered);
                    return Some((task, slot));
                }
                continue;
            } else if offered.idle == offered.workers {
                self.finish(&mut offered);
                continue;
            }
            self.count(&offered);
            offered = self.changed.wait(offered).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether nobody explores anything now.
    fn gather(&self, offered: &mut Offered<T, D, L>) -> bool {
        let are_all = offered.resting + offered.idle == offered.workers;
        if are_all && !offered.is_gathered {
            offered.is_gathered = true;
            self.changed.notify_all();
        }
        are_all
    }

    /// Rests until the frontier is saved. When all rest, each notes its part of it, and the last one saves it.
    fn rest(&self, saving: &Saving<'_, T, D, L>, copy: impl FnOnce()) {
        let wait = |offered| self.changed.wait(offered).unwrap_or_else(PoisonError::into_inner);
        let mut offered = self.lock();
        let saved = offered.saved;
        offered.resting += 1;
        self.gather(&mut offered);
        while !offered.is_gathered && !offered.is_over {
            offered = wait(offered);
        }
        drop(offered);
        copy();
        let mut offered = self.lock();
        offered.copied += 1;
        if offered.copied == offered.resting && !offered.is_over {
            return self.save(&mut offered, saving);
        }
        while offered.saved == saved && !offered.is_over {
            offered = wait(offered);
        }
    }

    fn save(&self, offered: &mut Offered<T, D, L>, saving: &Saving<'_, T, D, L>) {
        let moment = if saving.keeper.ends() { Moment::End } else { Moment::Between };
        (saving.save)(&saving.items, moment);
        (offered.resting, offered.copied, offered.is_gathered) = (0, 0, false);
        offered.saved += 1;
        if moment == Moment::End {
            self.finish(offered);
        }
        self.changed.notify_all();
    }

    /// The search is over: nobody waits any more.
    pub fn end(&self) {
        self.finish(&mut self.lock());
    }

    fn finish(&self, offered: &mut Offered<T, D, L>) {
        offered.is_over = true;
        offered.slots.clear();
        self.count(offered);
        self.changed.notify_all();
    }
}

impl<T, D, L> Default for Sharing<T, D, L> {
    fn default() -> Self {
        Sharing::new()
    }
}

/// Saves a frontier.
pub type Save<'a, T, D, L> = &'a (dyn Fn(&[Item<T, D, L>], Moment) + Sync);

/// The frontier of a search that is kept, and how it is saved while all workers rest.
pub struct Saving<'a, T, D, L> {
    pub items: Vec<Item<T, D, L>>,
    pub keeper: &'a Keeper,
    pub save: Save<'a, T, D, L>,
}

impl<T: fmt::Debug, D: fmt::Debug, L: fmt::Debug> fmt::Debug for Saving<'_, T, D, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saving").field("items", &self.items).finish_non_exhaustive()
    }
}

/// The workers of a search, with the parts `O` of its results that nobody puts together with others.
#[derive(Debug)]
pub struct Crew<'a, T, D, L, O> {
    pub sharing: Sharing<T, D, L>,
    start: Instant,
    ended: Mutex<Vec<O>>,
    saving: Option<Saving<'a, T, D, L>>,
}

/// The time before a search is shared: most are over by then.
const PATIENCE: Duration = Duration::from_millis(2);

/// Starts the other workers, when the search has taken a while.
#[derive(Clone, Copy)]
pub struct Hire<'a> {
    start: &'a dyn Fn(),
    /// The number of times that it was asked.
    asked: u64,
    patience: Duration,
}

impl fmt::Debug for Hire<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hire").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl<'a, T: Send, D: Send, L: Send, O: Send> Crew<'a, T, D, L, O> {
    /// Runs a search: `first` on this thread, and `other` on as many more as there are workers, once `first` has called
    /// [`Crew::is_time_to_hire`] for long enough. `eager` does not wait. Returns the parts that were [kept](Crew::keep).
    pub fn run(
        workers: usize,
        eager: bool,
        saving: Option<Saving<'a, T, D, L>>,
        first: impl FnOnce(&Self, Hire<'_>),
        other: impl Fn(&Self) + Sync,
    ) -> Vec<O>
    where
        T: Subtrees<T, D, L>,
    {
        let sharing = Sharing::new();
        for item in saving.iter().flat_map(|saving| &saving.items) {
            item.slot.offer_all(&sharing);
        }
        let crew = Crew { sharing, start: Instant::now(), ended: Mutex::new(Vec::new()), saving };
        thread::scope(|scope| {
            let (crew, other) = (&crew, &other);
            let start = move || {
                for _ in 1..workers {
                    let worker = thread::Builder::new().name("search".to_owned());
                    let work = move || {
                        let _ends = EndsOnPanic(&crew.sharing);
                        other(crew);
                    };
                    // If the system has no more threads, the others do the work.
                    let _ = worker.spawn_scoped(scope, work);
                }
            };
            let _ends = EndsOnPanic(&crew.sharing);
            let patience = if eager { Duration::ZERO } else { PATIENCE };
            first(crew, Hire { start: &start, asked: 0, patience });
        });
        crew.ended.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asked after every execution of a search by one worker: starts the others if it is time. The clock is read at
    /// powers of two only.
    pub fn is_time_to_hire(&self, hire: &mut Hire<'_>) -> bool {
        hire.asked += 1;
        let is_time = hire.asked.is_power_of_two() && self.start.elapsed() >= hire.patience;
        if is_time {
            (hire.start)();
        }
        is_time
    }

    /// A worker begins. It is not idle yet.
    pub fn enter(&self) {
        self.sharing.enter();
    }

    /// Waits for a subtree to explore; `None` when the search is over.
    pub fn take(&self) -> Option<(T, Slot<T, D, L>)> {
        self.sharing.take(self.saving.as_ref())
    }

    /// The frontier of the search, if it is kept.
    #[inline]
    pub fn saving(&self) -> Option<&Saving<'a, T, D, L>> {
        self.saving.as_ref()
    }

    /// Whether the frontier is to be saved: every worker notes its part of it, and [rests](Crew::rest).
    #[inline]
    pub fn is_to_save(&self) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.keeper.is_due())
    }

    /// Rests until the frontier is saved. `copy` is called when all workers rest.
    pub fn rest(&self, copy: impl FnOnce()) {
        if let Some(saving) = &self.saving {
            self.sharing.rest(saving, copy);
        }
    }

    /// A segment has come to its end, and its results are in its slot. Where all items of a frontier are done, the search is
    /// over.
    pub fn is_done(&self, slot: &Slot<T, D, L>) -> bool
    where
        T: Subtrees<T, D, L>,
    {
        let items = || self.saving.iter().flat_map(|saving| &saving.items);
        items().any(|item| item.slot.is(slot)) && items().all(|item| item.slot.is_done())
    }

    /// Keeps a part of the results.
    pub fn keep(&self, part: O) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }
}

impl<T: Subtrees<T, D, L>, D, L> Slot<T, D, L> {
    /// Offers all subtrees of a frontier that are open.
    fn offer_all(&self, sharing: &Sharing<T, D, L>) {
        let mut open = Vec::new();
        self.walk(&mut |slot, found| {
            if let Found::Task(_) = found {
                open.push(slot.clone());
            }
        });
        open.into_iter().for_each(|slot| sharing.offer_slot(slot));
    }
}

/// Ends the search if a worker panics: the others would wait for ever.
struct EndsOnPanic<'a, T, D, L>(&'a Sharing<T, D, L>);

impl<T, D, L> Drop for EndsOnPanic<'_, T, D, L> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Sharing<u32, u32, u32>;

    impl Task for u32 {
        fn is_untouched(&self) -> bool {
            true
        }

        fn depth(&self) -> usize {
            0
        }
    }

    fn begun(sharing: &Numbers) -> (Slot<u32, u32, u32>, Slot<u32, u32, u32>) {
        let slot = sharing.offer(5);
        let (task, begun) = sharing.take(None).expect("a subtree");
        assert_eq!(task, 5);
        (slot, begun)
    }

    #[test]
    fn a_subtree_that_nobody_began_is_left_to_its_owner() {
        let sharing = Numbers::new();
        let slot = sharing.offer(5);
        assert!(matches!(slot.reach(|| unreachable!()), Reached::Open));
        sharing.end();
        assert!(sharing.take(None).is_none());
    }

    #[test]
    fn results_come_to_the_owner() {
        let sharing = Numbers::new();
        let (slot, begun) = begun(&sharing);
        assert_eq!(begun.taken_over(), None);
        assert!(matches!(begun.end(|| 7), Explored::Kept));
        assert!(matches!(slot.reach(|| unreachable!()), Reached::Done(7)));
    }

    #[test]
    fn the_rest_comes_to_the_worker_of_the_subtree() {
        let sharing = Numbers::new();
        let (slot, early) = begun(&sharing);
        assert!(matches!(slot.reach(|| 9), Reached::Left));
        assert_eq!(early.taken_over(), Some(9));
        assert_eq!(early.taken_over(), None);
        let (slot, late) = begun(&sharing);
        assert!(matches!(slot.reach(|| 9), Reached::Left));
        assert!(matches!(late.end(|| unreachable!()), Explored::GoesOn(9)));
    }

    #[test]
    fn an_owner_that_stops_takes_the_results_that_are_there() {
        let sharing = Numbers::new();
        let (slot, early) = begun(&sharing);
        assert!(matches!(early.end(|| 7), Explored::Kept));
        assert_eq!(slot.close(), Some(7));
        let (slot, late) = begun(&sharing);
        assert_eq!(slot.close(), None);
        assert!(matches!(late.end(|| unreachable!()), Explored::Closed));
    }

    #[test]
    fn subtrees_are_wanted_by_idle_workers() {
        let sharing = Numbers::new();
        assert!(!sharing.is_wanted());
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| sharing.take(None).map(|(task, _)| task));
            while !sharing.is_wanted() {
                std::thread::yield_now();
            }
            sharing.offer(3);
            assert_eq!(worker.join().expect("the worker ends"), Some(3));
            assert!(!sharing.is_wanted());
        });
    }
}
