//! Threads, addresses, instructions, and what happens.

/// Where stores wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffers {
    /// One queue per thread: TSO.
    PerThread,
    /// One queue per thread and address: PSO.
    PerAddress,
}

/// A thread, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Thread(pub u32);

impl Thread {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An address, or a run of bytes that are always accessed together; counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Address(pub u32);

impl Address {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instruction of the program, as whoever made the events numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site(pub u32);

impl Site {
    /// No instruction is known.
    pub const NONE: Site = Site(u32::MAX);
}

/// How an access touches memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Read,
    /// A store, which may wait in a buffer.
    Write,
    /// Reads and writes memory in one step, past the buffer: the paper's interlocked operation.
    Interlocked,
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Access(Kind),
    /// Goes on only when the thread's stores have left the buffer.
    Fence,
    /// No later store leaves before the earlier ones.
    StoreFence,
    /// Starts a thread, as a fence does for its own stores.
    Spawn(Thread),
    /// Goes on when the other thread has ended and its stores have left the buffer; a fence, too.
    Join(Thread),
    /// Goes on because of what the other thread did last: a signal that it waited for.
    Woken(Thread),
}

/// An operation on bytes of memory; those that touch none have `bytes` 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub thread: Thread,
    pub op: Op,
    pub addr: u64,
    pub bytes: u32,
}
