//! The memoized moves of threads.
//!
//! If the program is memoizable ([`is_memoizable`](crate::memoizable::is_memoizable)), a move concerns only
//! its thread, memory, and the part of the state outside the machine. Then the moves of a thread and their
//! results are a function of the thread's component and of the world. Both are numbers of the space, and
//! few distinct pairs of them occur in many states. So a worker rarely has to decode a state into its
//! machine. The table is exact; when it is full, it is cleared.

use crate::moves::Move;
use crate::tables::Number;
use rustc_hash::FxHashMap;

/// The maximal number of memoized moves.
const MAX_MOVES: usize = 1 << 20;

/// The arguments that determine the moves of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    pub thread: u32,
    /// The thread's component.
    pub own: Number,
    pub world: Number,
}

/// A move and its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct After {
    pub by: Move,
    pub to: Change,
}

/// The result of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// A state: the new component of the thread, the new world, and the places of goals at which the thread
    /// then is.
    State { own: Number, world: Number, places: u64 },
    /// A finding, by its number in the worker's list of findings.
    Found(u32),
    /// The state is not worth exploring.
    Nowhere,
}

/// Facts about a thread that are a function of the same arguments as its moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadInfo {
    /// Whether its moves form an ample set that may be made alone: see [`crate::worker::Worker::expand`].
    pub is_first: bool,
    /// Whether it may be going round a loop without effect: see [`crate::alone`].
    pub lingers: bool,
    /// The places of goals at which it is, as a mask.
    pub places: u64,
}

/// The moves of a thread: a range of `Memo::afters`, valid until the table is cleared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    start: u32,
    len: u32,
    pub info: ThreadInfo,
    /// Whether none of them is a move of the program.
    pub is_stuck: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Memo {
    known: FxHashMap<Key, Moves>,
    afters: Vec<After>,
}

impl Memo {
    pub(crate) fn get(&self, key: &Key) -> Option<Moves> {
        self.known.get(key).copied()
    }

    /// Memoizes the moves of a thread and their results.
    pub(crate) fn put(&mut self, key: Key, afters: &[After], info: ThreadInfo) -> Moves {
        let (start, len) = (self.afters.len() as u32, afters.len() as u32);
        self.afters.extend_from_slice(afters);
        let is_stuck = !afters.iter().any(|after| after.by.is_of_program());
        let moves = Moves { start, len, info, is_stuck };
        self.known.insert(key, moves);
        moves
    }

    pub(crate) fn after(&self, moves: Moves, n: u32) -> After {
        self.afters[(moves.start + n) as usize]
    }

    /// The indices of a thread's moves, for [`Memo::after`].
    pub(crate) fn numbers(moves: Moves) -> std::ops::Range<u32> {
        0..moves.len
    }

    /// Clears the table if it is full. Every [`Moves`] returned before is then invalid. Clearing everything
    /// is simple and rare, and the entries in use are soon there again.
    pub(crate) fn clear_if_full(&mut self) {
        if self.afters.len().max(self.known.len()) > MAX_MOVES {
            self.known.clear();
            self.afters.clear();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.afters.capacity() * size_of::<After>()
            + self.known.capacity() * (size_of::<(Key, Moves)>() + 1)
    }
}
