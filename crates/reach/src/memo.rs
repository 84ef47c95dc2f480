//! What a thread can do next, remembered.
//!
//! Where a move concerns nothing but its thread, memory and what is beside the machine
//! ([`is_memoizable`](crate::memoizable::is_memoizable)), the moves of a thread and what they come to are a
//! function of the thread's component and of the world. Both are numbers of the space, and few of them
//! make many states, so a worker hardly ever has to put a state into its machine. What is remembered is exact; when it
//! is too much it is forgotten.

use crate::moves::Move;
use crate::tables::Number;
use rustc_hash::FxHashMap;

/// Moves that are remembered at the most.
const MOST: usize = 1 << 20;

/// What the moves of a thread are a function of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    pub thread: u32,
    pub own: Number,
    pub world: Number,
}

/// What a move comes to.
#[derive(Clone, Copy, Debug)]
pub struct After {
    pub by: Move,
    pub to: Change,
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// A state, with the places of goals that the thread is then at.
    State { own: Number, world: Number, places: u64 },
    /// Something that was found, by its number at whoever remembers.
    Found(u32),
    /// Nothing worth a state.
    Nowhere,
}

/// What is to be known of a thread beside its moves.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// Whether its moves come before all others: see [`crate::system::System::own_moves`].
    pub is_first: bool,
    /// Whether it may be on its way around a loop for nothing: see [`crate::alone`].
    pub lingers: bool,
    /// The places of goals that it is at.
    pub places: u64,
}

/// The moves of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    start: u32,
    len: u32,
    pub own: Own,
    /// Whether the program has none.
    pub is_stuck: bool,
}

#[derive(Debug, Default)]
pub struct Memo {
    known: FxHashMap<Key, Moves>,
    afters: Vec<After>,
}

impl Memo {
    pub fn get(&self, key: &Key) -> Option<Moves> {
        self.known.get(key).copied()
    }

    pub fn put(&mut self, key: Key, afters: &[After], own: Own) -> Moves {
        let (start, len) = (self.afters.len() as u32, afters.len() as u32);
        self.afters.extend_from_slice(afters);
        let is_stuck = !afters.iter().any(|after| after.by.is_of_program());
        let moves = Moves { start, len, own, is_stuck };
        self.known.insert(key, moves);
        moves
    }

    pub fn after(&self, moves: Moves, n: u32) -> After {
        self.afters[(moves.start + n) as usize]
    }

    /// The numbers of a thread's moves, for [`Memo::after`].
    pub fn numbers(moves: Moves) -> std::ops::Range<u32> {
        0..moves.len
    }

    /// Forgets everything if it is too much. What was got before is then of no use any more.
    pub fn make_room(&mut self) {
        if self.afters.len().max(self.known.len()) > MOST {
            self.known.clear();
            self.afters.clear();
        }
    }

    pub fn bytes(&self) -> usize {
        self.afters.capacity() * size_of::<After>()
            + self.known.capacity() * (size_of::<(Key, Moves)>() + 1)
    }
}
