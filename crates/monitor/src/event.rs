//! Threads, addresses, instructions and operations.

/// The kind of store buffers.
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

/// An instruction of the program, with the number that the source of the events gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Site(pub u32);

impl Site {
    /// The instruction is not known.
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

/// An operation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Access(Kind),
    /// Waits until the thread's stores have left the buffer.
    Fence,
    /// Later stores leave the buffer after all earlier ones.
    StoreFence,
    /// Starts a thread. Is also a fence.
    Spawn(Thread),
    /// Waits until the other thread has ended and its stores have left the buffer. Is also a fence.
    Join(Thread),
    /// Was woken by the last operation of the other thread: a signal that this thread waited for.
    Woken(Thread),
}

/// An operation with the bytes of memory it touches; `bytes` is 0 if it touches none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub thread: Thread,
    pub op: Op,
    pub addr: u64,
    pub bytes: u32,
}
