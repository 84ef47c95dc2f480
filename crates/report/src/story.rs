//! The events along schedules, as JSON.

use crate::Subject;
use crate::json::SourceLine;
use raddle_engine::{Bytes, Cell, Deed, Ending, Need, Other, ReplayEvent, Writing};
use raddle_ir::LocId;
use serde::{Serialize, Serializer};

/// An event of a thread: in words, and with its details, as far as they apply.
#[derive(Serialize, Debug, Default)]
pub(crate) struct Event {
    thread: String,
    file: String,
    line: Option<u32>,
    what: String,
    kind: &'static str,
    /// The name of the memory that it touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// The value that was read or written, and the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// The index of the thread's store that goes into or leaves the buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<u32>,
    /// The thread that it starts, joins, wakes, or waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// The functions on the stack and where they are, the innermost first, if there is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Call>,
}

/// A function on the stack of a thread.
#[derive(Serialize, Debug)]
struct Call {
    function: String,
    file: String,
    line: Option<u32>,
}

/// The events of an execution. Each is converted when it is written, because there can be a million of
/// them.
#[derive(Debug)]
pub(crate) struct Events<'a> {
    pub subject: Subject<'a>,
    pub events: &'a [ReplayEvent],
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.events.iter().map(|event| told(&self.subject, event)))
    }
}

pub(crate) fn told(subject: &Subject<'_>, event: &ReplayEvent) -> Event {
    let SourceLine { file, line } = subject.line(event.place(subject.program));
    let (thread, what) = (event.thread.clone(), event.what());
    Event { thread, file, line, what, calls: calls(subject, event), ..details(&event.deed) }
}

fn calls(subject: &Subject<'_>, event: &ReplayEvent) -> Vec<Call> {
    let located = event.calls.iter().filter(|frame| frame.at != LocId::NONE);
    let calls = located.filter_map(|frame| {
        let SourceLine { file, line } = subject.line(frame.at);
        Some(Call { function: subject.program.funcs.get(frame.func)?.name.clone(), file, line })
    });
    let calls: Vec<Call> = calls.collect();
    if calls.len() > 1 { calls } else { Vec::new() }
}

/// The details of an event.
fn details(deed: &Deed) -> Event {
    let kind = |kind| Event { kind, ..Event::default() };
    let at = |kind, at: &Bytes| Event { kind, at: Some(at.name.clone()), ..Event::default() };
    let cell =
        |kind, cell: &Cell| Event { value: Some(cell.value.shown.clone()), ..at(kind, &cell.at) };
    let name = |other: &Option<Other>| other.as_ref().map(|other| other.name.clone());
    match deed {
        Deed::Read { cell: found, forwarded: false } => cell("read", found),
        Deed::Read { cell: found, .. } => cell("read-own-buffer", found),
        Deed::Write { cell: new, old, how } => {
            let how = match how {
                Writing::Store => "write",
                Writing::Rmw => "rmw",
                Writing::Exchange => "exchange",
                Writing::Conditional => "store-conditional",
            };
            Event { old: Some(old.shown.clone()), ..cell(how, new) }
        }
        Deed::Mismatch { cell: found, .. } => cell("exchange-failed", found),
        Deed::LostReservation(place) => at("store-conditional-failed", place),
        Deed::Buffer { cell: new, store, .. } => {
            Event { store: Some(*store), ..cell("buffer", new) }
        }
        Deed::Update { cell: new, store } => Event { store: Some(*store), ..cell("update", new) },
        Deed::Fence { .. } => kind("fence"),
        Deed::Lock { at: place, .. } => at("lock", place),
        Deed::FindsLocked(place) => at("trylock-failed", place),
        Deed::Unlock(place) => at("unlock", place),
        Deed::StartWaiting(place) => at("wait", place),
        Deed::StopWaiting(place) => at("stop-waiting", place),
        Deed::Signal { at: place, woken } => Event { other: name(woken), ..at("signal", place) },
        Deed::Broadcast(place) => at("broadcast", place),
        Deed::Spawn(child) => Event { other: Some(child.name.clone()), ..kind("spawn") },
        Deed::Join(child) => Event { other: name(child), ..kind("join") },
        Deed::Allocate { at: place, .. } => at("allocate", place),
        Deed::Free { at: place, by: Ending::Free } => at("free", place),
        Deed::Free { at: place, .. } => at("end-of-frame", place),
        Deed::Choose(which) => Event { value: Some(which.to_string()), ..kind("choose") },
        Deed::Print(text) => Event { value: Some(text.clone()), ..kind("print") },
        Deed::Touch(place) => at("access", place),
        Deed::Fail { at: place, .. } => {
            Event { at: place.as_ref().map(|at| at.name.clone()), ..kind("fail") }
        }
        Deed::Stuck(Need::Lock { lock: place, holder }) => {
            Event { other: name(holder), ..at("stuck", place) }
        }
        Deed::Stuck(Need::Change | Need::Drain | Need::Memory) => kind("stuck"),
        Deed::Stuck(Need::End(other)) => Event { other: name(other), ..kind("stuck") },
        Deed::Stuck(Need::Signal(place) | Need::Value(place)) => {
            Event { at: place.as_ref().map(|at| at.name.clone()), ..kind("stuck") }
        }
    }
}
