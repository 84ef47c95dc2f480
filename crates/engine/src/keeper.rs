//! Keeping what is left of a search, to go on with it later or elsewhere.
//!
//! A command that wants that puts a [`Keeper`] into its [`Limits`](crate::Limits): with the frontier to begin with, if it is not the
//! whole search, and a function that is given frontiers to save. Engines write and read frontiers in their own form
//! ([`Frontier`](crate::Frontier)), and nobody else looks into them. Between two executions an engine asks whether it is time to save
//! ([`Keeper::is_due`]), which is one relaxed load.

use crate::summary::{Stopped, Summary};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A frontier that was saved.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The search as it is now, without its parts.
    pub rest: Vec<u8>,
    /// Parts for other processes.
    pub parts: Vec<Part>,
    /// The part that is missing and comes first in the order of the search, if one is: where the rest waits for it, its own rest should come
    /// back.
    pub needs: Option<u64>,
    pub state: FrontierState,
    /// The numbers so far, and what was found.
    pub summary: Summary,
    /// Whether the search ends here.
    pub is_last: bool,
}

/// A part of a search for another process.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name under which it comes back.
    pub name: u64,
    pub frontier: Vec<u8>,
}

/// Why a part cannot be put into a frontier.
pub const NOT_MISSING: &str = "it is not of a part that is missing";

/// Whether there is more to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrontierState {
    /// Nothing is left.
    Done,
    Open,
    /// Only with the results of parts that other processes explore.
    Waiting,
}

impl FrontierState {
    pub const fn name(self) -> &'static str {
        match self {
            FrontierState::Done => "done",
            FrontierState::Open => "open",
            FrontierState::Waiting => "waiting",
        }
    }
}

/// A frontier to go on with, and the frontiers of those of its parts that come back from other processes, done or not.
#[derive(Clone, Debug)]
pub struct Start {
    pub frontier: Vec<u8>,
    pub results: Vec<Vec<u8>>,
}

/// Keeps what is left of a search. Clones share it; the default one keeps nothing.
#[derive(Clone, Debug, Default)]
pub struct Keeper(Option<Arc<Shared>>);

/// Nothing is due.
const IDLE: u8 = 0;
/// The frontier is to be saved.
const SAVE: u8 = 1;
/// The frontier is to be saved, and the search to end.
const END: u8 = 2;

type Save = dyn Fn(Saved) + Send + Sync + UnwindSafe + RefUnwindSafe;

struct Shared {
    start: Mutex<Option<Start>>,
    /// The most parts that the last frontier is divided into, beside its rest.
    parts: usize,
    before: OnceLock<Summary>,
    due: AtomicU8,
    stopped: OnceLock<Stopped>,
    refusal: OnceLock<String>,
    save: Box<Save>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl Keeper {
    /// Keeps nothing.
    pub const NONE: Keeper = Keeper(None);

    /// Keeps a search that begins with this frontier, or with the whole search. `save` is called by a worker of the
    /// search, while all others rest.
    pub fn new(
        start: Option<Start>,
        parts: usize,
        save: impl Fn(Saved) + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    ) -> Keeper {
        Keeper(Some(Arc::new(Shared {
            start: Mutex::new(start),
            parts,
            before: OnceLock::new(),
            due: AtomicU8::new(IDLE),
            stopped: OnceLock::new(),
            refusal: OnceLock::new(),
            save: Box::new(save),
        })))
    }

    /// Whether a search is kept.
    pub fn keeps(&self) -> bool {
        self.0.is_some()
    }

    /// The frontier to begin with; `None` for the whole search.
    pub fn start(&self) -> Option<Start> {
        let shared = self.0.as_deref()?;
        shared.start.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The most parts that the last frontier is divided into.
    pub fn parts(&self) -> usize {
        self.0.as_deref().map_or(0, |shared| shared.parts)
    }

    /// The search begins after these numbers.
    pub fn begin(&self, before: &Summary) {
        if let Some(shared) = self.0.as_deref() {
            let _ = shared.before.set(before.clone());
        }
    }

    /// The numbers before the search began.
    pub fn before(&self) -> Summary {
        let before = self.0.as_deref().and_then(|shared| shared.before.get());
        before.cloned().unwrap_or_default()
    }

    /// Asks for the frontier to be saved.
    pub fn request(&self) {
        if let Some(shared) = self.0.as_deref() {
            let _ = shared.due.compare_exchange(IDLE, SAVE, Relaxed, Relaxed);
        }
    }

    /// Asks for the frontier to be saved, and the search to end for this reason.
    pub fn end(&self, stopped: Stopped) {
        if let Some(shared) = self.0.as_deref() {
            let _ = shared.stopped.set(stopped);
            shared.due.store(END, Relaxed);
        }
    }

    /// Whether the frontier is to be saved.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.0.as_deref().is_some_and(|shared| shared.due.load(Relaxed) != IDLE)
    }

    /// Whether the search is to end.
    pub fn ends(&self) -> bool {
        self.0.as_deref().is_some_and(|shared| shared.due.load(Relaxed) == END)
    }

    /// Why the search was asked to end, if it was.
    pub fn stopped(&self) -> Option<Stopped> {
        self.0.as_deref()?.stopped.get().copied()
    }

    /// Saves a frontier.
    pub fn save(&self, saved: Saved) {
        if let Some(shared) = self.0.as_deref() {
            let _ = shared.due.compare_exchange(SAVE, IDLE, Relaxed, Relaxed);
            (shared.save)(saved);
        }
    }

    /// The frontier to begin with cannot be read, or does not fit.
    pub fn refuse(&self, why: String) {
        if let Some(shared) = self.0.as_deref() {
            let _ = shared.refusal.set(why);
        }
    }

    /// Why the frontier to begin with was refused, if it was.
    pub fn refusal(&self) -> Option<&str> {
        Some(self.0.as_deref()?.refusal.get()?.as_str())
    }
}

/// Two keepers are equal if they share the same state.
impl PartialEq for Keeper {
    fn eq(&self, other: &Keeper) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for Keeper {}
