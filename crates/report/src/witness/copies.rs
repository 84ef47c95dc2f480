//! Copies and fills of memory in one line: `copies 16 bytes from slots[0] to e: 1, 2`.
//!
//! A copy by a function of the library is a sequence of accesses. Those that no event of another thread interrupts
//! have one row, and so have the stores that leave the buffer one after the other.

use super::library::{Telling, touched};
use raddle_engine::{Bytes, Datum, Deed, ReplayEvent};
use raddle_ir::{LocId, Program};
use raddle_machine::in_bytes;

/// The most values that a row lists.
const MOST_VALUES: usize = 8;

/// What the events of a run have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    thread: u32,
    /// The call.
    at: LocId,
    fills: bool,
    /// Stores leave the buffer.
    updates: bool,
}

/// Tells of copies and fills; `kept` says which events have a row.
pub(super) fn tell(
    program: &Program,
    events: &[ReplayEvent],
    kept: &[bool],
    tellings: &mut [Telling],
) {
    let mut run: Option<(Kind, Vec<usize>)> = None;
    for (n, event) in events.iter().enumerate() {
        match (kind(program, event), &mut run) {
            (Some(kind), Some((known, own))) if kind == *known => own.push(n),
            // Events without a row interrupt nothing.
            (None, _) if !kept[n] => {}
            (kind, _) => {
                finish(events, kept, run.take(), tellings);
                run = kind.map(|kind| (kind, vec![n]));
            }
        }
    }
    finish(events, kept, run, tellings);
}

/// The call that an access or an update is of, if it is one of these functions.
fn kind(program: &Program, event: &ReplayEvent) -> Option<Kind> {
    let updates = match event.deed {
        Deed::Update { .. } => true,
        Deed::Read { .. } | Deed::Write { .. } | Deed::Buffer { .. } => false,
        _ => return None,
    };
    let library = |func| program.funcs.get(func).is_some_and(|func| func.library);
    let inner = event.calls.iter().take_while(|frame| library(frame.func));
    let name = inner.last().map(|frame| program.funcs[frame.func].name.as_str())?;
    let name = name.trim_start_matches("raddle.").trim_start_matches("__");
    let fills = name.starts_with("memset") || matches!(name, "bzero" | "explicit_bzero");
    let copies = ["memcpy", "memmove", "mempcpy"].iter().any(|known| name.starts_with(known));
    let mut frames = event.calls.iter().skip_while(|frame| library(frame.func));
    let at = frames.next().map_or(LocId::NONE, |frame| frame.at);
    (fills || copies).then_some(Kind { thread: event.number, at, fills, updates })
}

fn finish(
    events: &[ReplayEvent],
    kept: &[bool],
    run: Option<(Kind, Vec<usize>)>,
    tellings: &mut [Telling],
) {
    let Some((kind, own)) = run else { return };
    let rows: Vec<usize> = own.iter().copied().filter(|n| kept[*n]).collect();
    let [first, rest @ ..] = &rows[..] else { return };
    if rest.is_empty() {
        return;
    }
    rest.iter().for_each(|n| tellings[*n] = Telling::Silent);
    tellings[*first] = Telling::InWords(words(events, kind, &own));
}

fn words(events: &[ReplayEvent], kind: Kind, own: &[usize]) -> String {
    let cell = |n: &usize| match &events[*n].deed {
        Deed::Update { cell, .. } => Some((&cell.at, &cell.value)),
        _ => touched(&events[*n]).map(|(at, _, value)| (at, value)),
    };
    let reads = |n: &&usize| matches!(events[**n].deed, Deed::Read { .. });
    let from: Vec<(&Bytes, &Datum)> = own.iter().filter(reads).filter_map(cell).collect();
    let to: Vec<(&Bytes, &Datum)> = own.iter().filter(|n| !reads(n)).filter_map(cell).collect();
    let side = if to.is_empty() { &from } else { &to };
    let size = in_bytes(side.iter().map(|(at, _)| at.bytes).sum());
    let values = values(side);
    if kind.updates {
        return format!("{size} of {} reach memory{values}", whole(&to));
    }
    let buffered = own.iter().any(|n| matches!(events[*n].deed, Deed::Buffer { .. }));
    let buffered = if buffered { " (buffered)" } else { "" };
    match (kind.fills, from.is_empty(), to.is_empty()) {
        (true, ..) => format!("fills {size} of {}{buffered}{values}", whole(&to)),
        (_, true, _) => format!("copies {size} to {}{buffered}{values}", whole(&to)),
        (_, _, true) => format!("copies {size} from {}{values}", whole(&from)),
        _ => format!("copies {size} from {} to {}{buffered}{values}", whole(&from), whole(&to)),
    }
}

/// `: 1, 2`, or nothing if there are many; one value if all are the same.
fn values(side: &[(&Bytes, &Datum)]) -> String {
    let mut shown: Vec<&str> = side.iter().map(|(_, value)| value.shown.as_str()).collect();
    if shown.windows(2).all(|pair| pair[0] == pair[1]) {
        shown.truncate(1);
    }
    match shown.len() <= MOST_VALUES {
        true => format!(": {}", shown.join(", ")),
        false => String::new(),
    }
}

/// The object, or the part of it, that all names begin with: `slots[0]` for `slots[0].a` and `slots[0].b`.
fn whole(side: &[(&Bytes, &Datum)]) -> String {
    let Some((first, rest)) = side.split_first() else { return String::new() };
    let common = rest.iter().fold(first.0.name.as_str(), |name, (at, _)| common(name, &at.name));
    common.to_owned()
}

/// What two names begin with, up to the end of a part.
fn common<'n>(name: &'n str, other: &str) -> &'n str {
    let same = name.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let end: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let is_end =
        |text: &str| text[end..].chars().next().is_none_or(|c| matches!(c, '.' | '[' | '+'));
    if is_end(name) && is_end(other) {
        return &name[..end];
    }
    &name[..name[..end].rfind(['.', '[', '+']).unwrap_or(end)]
}
