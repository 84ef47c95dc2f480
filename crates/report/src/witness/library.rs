//! Calls of the library in one line: `locks rw for reading`.
//!
//! The library is code that runs, and its events are accesses to the parts of a lock, which a reader does not
//! know. Of each call one event is told, in words that say what the call did.

use super::copies;
use super::shown::shown;
use crate::Run;
use raddle_engine::{Bytes, Cell, Datum, Deed, ReplayEvent};
use raddle_ir::{FuncId, LocId, Program};
use std::collections::BTreeMap;

/// How an event is told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Telling {
    /// By its own words.
    #[default]
    Plain,
    /// Another event tells of the call.
    Silent,
    InWords(String),
}

/// What a function of the library does.
#[derive(Clone, Copy)]
enum Role {
    Lock(&'static str),
    Unlock,
    Take,
    Post,
    Barrier,
    Once,
    Init,
    Destroy,
}

fn role(function: &str) -> Option<Role> {
    Some(match function.trim_start_matches("raddle.spurious.") {
        "pthread_rwlock_rdlock"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_clockrdlock" => Role::Lock(" for reading"),
        "pthread_rwlock_wrlock"
        | "pthread_rwlock_trywrlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockwrlock" => Role::Lock(" for writing"),
        "pthread_once" | "call_once" => Role::Once,
        "pthread_rwlock_unlock" => Role::Unlock,
        "sem_wait" | "sem_trywait" | "sem_timedwait" | "sem_clockwait" => Role::Take,
        "sem_post" => Role::Post,
        "pthread_barrier_wait" => Role::Barrier,
        "pthread_mutex_init"
        | "pthread_cond_init"
        | "pthread_rwlock_init"
        | "pthread_spin_init"
        | "pthread_barrier_init"
        | "sem_init"
        | "mtx_init"
        | "cnd_init" => Role::Init,
        "pthread_mutex_destroy"
        | "pthread_cond_destroy"
        | "pthread_rwlock_destroy"
        | "pthread_spin_destroy"
        | "pthread_barrier_destroy"
        | "sem_destroy"
        | "mtx_destroy"
        | "cnd_destroy" => Role::Destroy,
        _ => return None,
    })
}

/// The value of a `pthread_once_t` while its function runs.
const ONCE_RUNS: u128 = 1;

/// The events of one call.
struct LibraryCall {
    role: Role,
    func: FuncId,
    at: LocId,
    /// Accesses of the thread, and stores that leave its buffer.
    accesses: Vec<usize>,
    updates: Vec<usize>,
}

/// How events are told; `kept` says which have a row.
fn tellings(program: &Program, events: &[ReplayEvent], kept: &[bool]) -> Vec<Telling> {
    let mut tellings = vec![Telling::Plain; events.len()];
    // The newest call of each thread.
    let mut open: BTreeMap<u32, LibraryCall> = BTreeMap::new();
    let mut done = Vec::new();
    for (n, event) in events.iter().enumerate() {
        let called = called(program, event);
        let role = called.map(|(_, role)| role);
        if matches!(event.deed, Deed::Update { .. }) {
            if let (Some(_), Some(call)) = (role, open.get_mut(&event.number)) {
                call.updates.push(n);
            } else if role.is_some() {
                tellings[n] = Telling::Silent;
            }
            continue;
        }
        let at = event.calls.iter().map(|frame| frame.at).find(|at| *at != LocId::NONE);
        let at = at.unwrap_or(LocId::NONE);
        // Without positions, the functions tell calls apart.
        let func = called.map(|(func, _)| func);
        let same =
            open.get(&event.number).is_some_and(|call| call.at == at && Some(call.func) == func);
        if !same {
            done.extend(open.remove(&event.number));
        }
        if let (Some((func, role)), Some(_)) = (called, touched(event)) {
            let new = || LibraryCall { role, func, at, accesses: Vec::new(), updates: Vec::new() };
            open.entry(event.number).or_insert_with(new).accesses.push(n);
        }
    }
    done.extend(open.into_values());
    done.iter().for_each(|call| tell(events, call, &mut tellings));
    initialisers(events, &mut tellings);
    copies::tell(program, events, kept, &mut tellings);
    tellings
}

/// Events as readers see them: which have a row, and what it says.
pub(crate) struct Worded {
    shown: Vec<bool>,
    tellings: Vec<Telling>,
}

impl Worded {
    pub(crate) fn of(run: &Run<'_>, events: &[ReplayEvent]) -> Worded {
        let kept = shown(run, events);
        let tellings = tellings(run.program, events, &kept);
        let told = kept.iter().zip(&tellings);
        let shown = told.map(|(kept, telling)| *kept && *telling != Telling::Silent).collect();
        Worded { shown, tellings }
    }

    /// For each event, whether it has a row.
    pub(crate) fn shown(&self) -> &[bool] {
        &self.shown
    }

    /// An event in words.
    pub(crate) fn what(&self, n: usize, event: &ReplayEvent) -> String {
        self.in_words(n).map_or_else(|| event.what(), str::to_owned)
    }

    /// The words of an event, if they are not its own.
    pub(super) fn in_words(&self, n: usize) -> Option<&str> {
        match &self.tellings[n] {
            Telling::InWords(words) => Some(words),
            Telling::Plain | Telling::Silent => None,
        }
    }
}

/// The function of the library that the source called, and what it does; `None` outside of such a call.
fn called(program: &Program, event: &ReplayEvent) -> Option<(FuncId, Role)> {
    let library = |func| program.funcs.get(func).is_some_and(|func| func.library);
    let outermost = event.calls.iter().take_while(|frame| library(frame.func)).last()?;
    Some((outermost.func, role(&program.funcs[outermost.func].name)?))
}

/// The bytes and the values of an access: the old one, if it is known, and the new one.
pub(super) fn touched(event: &ReplayEvent) -> Option<(&Bytes, Option<&Datum>, &Datum)> {
    match &event.deed {
        Deed::Read { cell: Cell { at, value }, .. }
        | Deed::Buffer { cell: Cell { at, value }, .. } => Some((at, None, value)),
        Deed::Mismatch { cell: Cell { at, value }, .. } => Some((at, None, value)),
        Deed::Write { cell: Cell { at, value }, old, .. } => Some((at, Some(old), value)),
        _ => None,
    }
}

fn tell(events: &[ReplayEvent], call: &LibraryCall, tellings: &mut [Telling]) {
    let writes = |n: &&usize| matches!(events[**n].deed, Deed::Write { .. } | Deed::Buffer { .. });
    let updates = |n: &&usize| events[**n].deed.is_update();
    let all = call.accesses.iter();
    for n in call.accesses.iter().chain(&call.updates) {
        tellings[*n] = Telling::Silent;
    }
    // An update is what others see; a plain write or read beside it is book-keeping.
    let first = all.clone().find(updates).or_else(|| all.clone().find(writes));
    let changed = match call.role {
        Role::Unlock => all.clone().rev().find(updates).or_else(|| all.clone().rev().find(writes)),
        _ => first,
    };
    let told = changed.or(call.accesses.last());
    let Some(&told) = told else { return };
    let Some((at, old, value)) = touched(&events[told]) else { return };
    let from = old.map_or(String::new(), |old| format!(" (from {old} to {value})"));
    let changes = changed.is_some();
    let words = match call.role {
        Role::Lock(how) if changes => format!("locks {at}{how}"),
        Role::Lock(_) => format!("finds {at} locked"),
        Role::Unlock => format!("unlocks {at}"),
        Role::Take if changes => format!("takes {at}{from}"),
        Role::Take => format!("finds {at} = {value}"),
        Role::Post => format!("posts {at}{from}"),
        Role::Barrier if changes => format!("arrives at {at}"),
        Role::Barrier => format!("looks at {at}"),
        // The function that is called comes between the two.
        Role::Once if changes && value.bits == ONCE_RUNS => format!("begins the call of {at}"),
        Role::Once if changes => format!("completes the call of {at}"),
        Role::Once if value.bits == ONCE_RUNS => format!("waits for the call of {at}"),
        Role::Once => format!("finds {at} called"),
        Role::Init => format!("initialises {at}"),
        Role::Destroy if changes => format!("destroys {at}"),
        Role::Destroy => format!("finds {at} in use"),
    };
    tellings[told] = Telling::InWords(words);
    if let (Role::Barrier, true, Some(&last)) = (call.role, changes, call.accesses.last())
        && last != told
    {
        tellings[last] = Telling::InWords(format!("passes {at}"));
    }
}

/// Plain stores to several parts of an object that is told of as a whole: it is initialised.
fn initialisers(events: &[ReplayEvent], tellings: &mut [Telling]) {
    // The newest store of each thread.
    let mut newest: BTreeMap<u32, usize> = BTreeMap::new();
    for (n, event) in events.iter().enumerate() {
        let (Deed::Write { cell: Cell { at, .. }, .. }
        | Deed::Buffer { cell: Cell { at, .. }, .. }) = &event.deed
        else {
            continue;
        };
        if tellings[n] == Telling::Plain
            && let Some(&before) = newest.get(&event.number)
            && let Some((other, ..)) = touched(&events[before])
            && events[before].loc == event.loc
            && other.name == at.name
            && other.addr != at.addr
        {
            if tellings[before] == Telling::Plain {
                tellings[before] = Telling::InWords(format!("initialises {at}"));
            }
            tellings[n] = Telling::Silent;
        }
        newest.insert(event.number, n);
    }
}
