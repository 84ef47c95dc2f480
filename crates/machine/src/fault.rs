//! Faults of programs, as values, and their messages, which are the same for all engines.

use crate::layout::{MAX_OBJECT, MAX_OBJECTS};
use crate::memory::Purpose;
use crate::thread::MAX_THREADS;
use raddle_ir::FailKind;
use serde::{Deserialize, Serialize};

/// The kinds of failures of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum FailureKind {
    Assertion,
    /// Threads wait for ever: a state of several threads, which only engines see.
    Deadlock,
    /// An access to null, to no object, out of bounds, to a dead object, or a write to a constant.
    Memory,
    /// Unlock of a lock that is not held, and the like.
    LockMisuse,
    DivisionByZero,
    Unreachable,
    /// Joining something that is not a thread.
    ThreadMisuse,
    /// The use of a value that was never written or assigned.
    Uninitialised,
    /// The program aborted itself.
    Abort,
    /// Two accesses to common bytes that nothing orders, if an engine checks for those.
    Race,
    /// The program reached something that raddle cannot run.
    Unsupported,
}

impl FailureKind {
    /// Every kind with its name in reports, in the order of their numbers.
    pub const NAMES: [(FailureKind, &'static str); 11] = [
        (FailureKind::Assertion, "assertion"),
        (FailureKind::Deadlock, "deadlock"),
        (FailureKind::Memory, "memory"),
        (FailureKind::LockMisuse, "lock-misuse"),
        (FailureKind::DivisionByZero, "division-by-zero"),
        (FailureKind::Unreachable, "unreachable"),
        (FailureKind::ThreadMisuse, "thread-misuse"),
        (FailureKind::Uninitialised, "uninitialised"),
        (FailureKind::Abort, "abort"),
        (FailureKind::Race, "race"),
        (FailureKind::Unsupported, "unsupported"),
    ];

    pub const fn name(self) -> &'static str {
        FailureKind::NAMES[self as usize].1
    }
}

/// What messages say of an object that has ended while it has no name.
const OF_A_DEAD_OBJECT: &str = "of a dead object";
const FREES_TWICE: &str = "frees an object twice";

/// A fault of the program under test, with a message for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FailureKind,
    pub message: String,
}

impl From<FailKind> for FailureKind {
    fn from(kind: FailKind) -> FailureKind {
        match kind {
            FailKind::Assertion => FailureKind::Assertion,
            FailKind::Memory => FailureKind::Memory,
            FailKind::LockMisuse => FailureKind::LockMisuse,
            FailKind::ThreadMisuse => FailureKind::ThreadMisuse,
            FailKind::Uninitialised => FailureKind::Uninitialised,
            FailKind::Abort => FailureKind::Abort,
        }
    }
}

impl Fault {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }

    pub fn unsupported(message: impl Into<String>) -> Fault {
        Fault::new(FailureKind::Unsupported, message)
    }

    // ---- memory ----

    /// An access to `bytes` bytes at `addr` that is not allowed.
    #[cold]
    pub fn access(purpose: Purpose, addr: u64, bytes: u32, reason: NoAccess) -> Fault {
        let verb = if purpose.writes() { "writes" } else { "reads" };
        let place = match reason {
            // Null, and the members of a structure at null.
            NoAccess::Nowhere if addr < 4096 => "through a null pointer".to_owned(),
            NoAccess::Nowhere => format!("at {addr:#x}, which is in no object"),
            NoAccess::Dead => OF_A_DEAD_OBJECT.to_owned(),
            NoAccess::Constant => "of a constant".to_owned(),
            NoAccess::Outside { offset, size } => {
                format!("at offset {offset} of an object of {}", in_bytes(size))
            }
            NoAccess::NeverWritten => return Fault::never_written(bytes),
        };
        Fault::new(FailureKind::Memory, format!("{verb} {} {place}", in_bytes(bytes)))
    }

    /// The message of a fault about an object that has ended, with the name of what was accessed and of the object;
    /// `None` if the fault is about something else.
    pub fn of_ended(message: &str, accessed: &str, object: &str) -> Option<String> {
        match message.strip_suffix(OF_A_DEAD_OBJECT) {
            Some(access) => Some(format!("{access}of {accessed}")),
            None => (message == FREES_TWICE).then(|| format!("frees {object}")),
        }
    }

    /// A read of a value of which no byte was ever written.
    #[cold]
    pub fn never_written(bytes: u32) -> Fault {
        let were = if bytes == 1 { "was" } else { "were" };
        let message = format!("reads {} that {were} never written", in_bytes(bytes));
        Fault::new(FailureKind::Uninitialised, message)
    }

    #[cold]
    pub fn free(reason: NoFree) -> Fault {
        let message = match reason {
            NoFree::Dead => FREES_TWICE,
            NoFree::NotOfHeap => "frees something that is not a heap object",
            NoFree::Middle => "frees a pointer into the middle of an object",
            NoFree::Nowhere => "frees an address that is in no object",
        };
        Fault::new(FailureKind::Memory, message)
    }

    #[cold]
    pub fn private_to_another() -> Fault {
        Fault::unsupported("accesses an object that is private to another thread")
    }

    #[cold]
    pub fn too_large(size: u64) -> Fault {
        Fault::unsupported(format!("allocates {size} bytes; the most is {MAX_OBJECT}"))
    }

    #[cold]
    pub fn too_many_objects() -> Fault {
        Fault::unsupported(format!("more than {MAX_OBJECTS} memory objects"))
    }

    // ---- locks, threads, choices ----

    #[cold]
    pub fn lock_destroyed() -> Fault {
        Fault::new(FailureKind::LockMisuse, "uses a lock that was destroyed")
    }

    #[cold]
    pub fn unlocks_without_holding() -> Fault {
        Fault::new(FailureKind::LockMisuse, "unlocks a lock that it does not hold")
    }

    #[cold]
    pub fn waits_without_holding() -> Fault {
        let message = "waits on a condition with a lock that it does not hold";
        Fault::new(FailureKind::LockMisuse, message)
    }

    /// The memory lock orders the writes of all threads, which only the reachability engine supports.
    #[cold]
    pub fn takes_memory_lock() -> Fault {
        Fault::unsupported(
            "takes the memory lock, which only raddle reach and --strategy lazy support",
        )
    }

    #[cold]
    pub fn joins_no_thread() -> Fault {
        Fault::new(FailureKind::ThreadMisuse, "joins something that is not another thread")
    }

    #[cold]
    pub fn too_many_threads() -> Fault {
        Fault::unsupported(format!("more than {MAX_THREADS} threads"))
    }

    #[cold]
    pub fn too_many_choices(most: u32) -> Fault {
        Fault::unsupported(format!("chooses among more than {most} values"))
    }

    // ---- calls ----

    #[cold]
    pub fn calls_no_function(addr: u64) -> Fault {
        Fault::new(FailureKind::Memory, format!("calls {addr:#x}, which is not a function"))
    }

    #[cold]
    pub fn calls_undefined(name: &str) -> Fault {
        Fault::unsupported(format!("calls {name}, which is declared but not defined"))
    }

    #[cold]
    pub fn too_few_arguments(name: &str, given: usize, takes: usize) -> Fault {
        Fault::unsupported(format!("calls {name} with {given} arguments, which takes {takes}"))
    }

    #[cold]
    pub fn unreachable() -> Fault {
        Fault::new(FailureKind::Unreachable, "reaches a point marked as unreachable")
    }
}

/// The reason why an access is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoAccess {
    /// The address is in no object.
    Nowhere,
    Dead,
    Outside {
        /// Negative before the object.
        offset: i64,
        size: u32,
    },
    Constant,
    /// The access needs a value, and none of the bytes was ever written.
    NeverWritten,
}

/// The reason why an object cannot be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoFree {
    Dead,
    NotOfHeap,
    /// The address is not that of the first byte of an object.
    Middle,
    /// The address is in no object.
    Nowhere,
}

/// `1 byte`, `4 bytes`.
pub fn in_bytes(count: u32) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
