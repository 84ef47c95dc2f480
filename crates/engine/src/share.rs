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

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The state of a subtree that was offered: a task `T` before it is begun, results `D` when it is done, or what its owner
/// has left `L`.
#[derive(Debug)]
enum Subtree<T, D, L> {
    Open(T),
    Begun,
    Done(D),
    Left(L),
    /// The owner has stopped: it takes no results.
    Closed,
    /// Results or rest were taken over.
    Over,
}

#[derive(Debug)]
struct Shared<T, D, L> {
    subtree: Mutex<Subtree<T, D, L>>,
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

/// What the owner of a subtree finds when it reaches its slot.
#[derive(Debug)]
pub enum Reached<D> {
    /// Nobody has begun the subtree, and nobody will but the owner.
    Open,
    Done(D),
    /// Another worker goes on with what was left to it.
    Left,
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

    /// Reaches the subtree in the order of the search. `leave` gives the rest of the owner's segment away.
    pub fn reach(&self, leave: impl FnOnce() -> L) -> Reached<D> {
        let mut subtree = self.lock();
        match mem::replace(&mut *subtree, Subtree::Over) {
            Subtree::Done(results) => Reached::Done(results),
            Subtree::Begun => {
                *subtree = Subtree::Left(leave());
                self.0.is_left.store(true, Relaxed);
                Reached::Left
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
}

/// The subtrees that were offered and are not begun, and the workers that look for one.
#[derive(Debug)]
pub struct Sharing<T, D, L> {
    offered: Mutex<Offered<T, D, L>>,
    changed: Condvar,
    /// The number of idle workers, without those for which a subtree was offered; [`OVER`] at the end.
    wanted: AtomicIsize,
}

const OVER: isize = isize::MIN;

#[derive(Debug)]
struct Offered<T, D, L> {
    slots: VecDeque<Slot<T, D, L>>,
    idle: usize,
    is_over: bool,
}

impl<T, D, L> Sharing<T, D, L> {
    /// The workers begin idle.
    pub fn new() -> Sharing<T, D, L> {
        Sharing {
            offered: Mutex::new(Offered { slots: VecDeque::new(), idle: 0, is_over: false }),
            changed: Condvar::new(),
            wanted: AtomicIsize::new(0),
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

    /// Offers a subtree.
    pub fn offer(&self, task: T) -> Slot<T, D, L> {
        let subtree = Mutex::new(Subtree::Open(task));
        let slot = Slot(Arc::new(Shared { subtree, is_left: AtomicBool::new(false) }));
        let mut offered = self.lock();
        offered.slots.push_back(slot.clone());
        self.count(&offered);
        self.changed.notify_one();
        slot
    }

    /// Waits for a subtree to explore; `None` when the search is over.
    pub fn take(&self) -> Option<(T, Slot<T, D, L>)> {
        let mut offered = self.lock();
        offered.idle += 1;
        loop {
            if offered.is_over {
                return None;
            }
            if let Some(slot) = offered.slots.pop_front() {
                if let Some(task) = slot.begin() {
                    offered.idle -= 1;
                    self.count(&offered);
                    return Some((task, slot));
                }
                continue;
            }
            self.count(&offered);
            offered = self.changed.wait(offered).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The search is over: nobody waits any more.
    pub fn end(&self) {
        let mut offered = self.lock();
        offered.is_over = true;
        offered.slots.clear();
        self.count(&offered);
        self.changed.notify_all();
    }
}

impl<T, D, L> Default for Sharing<T, D, L> {
    fn default() -> Self {
        Sharing::new()
    }
}

/// The workers of a search, with the parts `O` of its results that nobody puts together with others.
#[derive(Debug)]
pub struct Crew<T, D, L, O> {
    pub sharing: Sharing<T, D, L>,
    start: Instant,
    ended: Mutex<Vec<O>>,
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

impl<T: Send, D: Send, L: Send, O: Send> Crew<T, D, L, O> {
    /// Runs a search: `first` on this thread, and `other` on as many more as there are workers, once `first` has called
    /// [`Crew::is_time_to_hire`] for long enough. `eager` does not wait. Returns the parts that were [kept](Crew::keep).
    pub fn run(
        workers: usize,
        eager: bool,
        first: impl FnOnce(&Self, Hire<'_>),
        other: impl Fn(&Self) + Sync,
    ) -> Vec<O> {
        let sharing = Sharing::new();
        let crew = Crew { sharing, start: Instant::now(), ended: Mutex::new(Vec::new()) };
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

    /// Keeps a part of the results.
    pub fn keep(&self, part: O) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(part);
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

    fn begun(sharing: &Numbers) -> (Slot<u32, u32, u32>, Slot<u32, u32, u32>) {
        let slot = sharing.offer(5);
        let (task, begun) = sharing.take().expect("a subtree");
        assert_eq!(task, 5);
        (slot, begun)
    }

    #[test]
    fn a_subtree_that_nobody_began_is_left_to_its_owner() {
        let sharing = Numbers::new();
        let slot = sharing.offer(5);
        assert!(matches!(slot.reach(|| unreachable!()), Reached::Open));
        sharing.end();
        assert!(sharing.take().is_none());
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
            let worker = scope.spawn(|| sharing.take().map(|(task, _)| task));
            while !sharing.is_wanted() {
                std::thread::yield_now();
            }
            sharing.offer(3);
            assert_eq!(worker.join().expect("the worker ends"), Some(3));
            assert!(!sharing.is_wanted());
        });
    }
}
