//! Deadlocks: which thread waits for what, which thread holds it and since where, and which threads spin.

use super::{Cause, Told, Why};
use crate::cycle::Node;
use raddle_engine::{Bytes, Deed, Need, Other};

/// The cause for every thread that waits or spins forever.
pub(super) fn waits(told: &Told<'_>) -> Option<Why> {
    let mut words = Vec::new();
    let mut causes = Vec::new();
    for (waiter, event) in told.events.iter().enumerate() {
        let (thread, at) = (told.thread(waiter), told.at(waiter));
        let taken = match &event.deed {
            Deed::Stuck(Need::Change) => {
                words.push(format!("{thread} spins for ever{at}"));
                None
            }
            Deed::Stuck(need) => {
                let taken = taken(told, need);
                words.push(format!("{thread} waits{at} for {}", wanted(told, waiter, need, taken)));
                taken
            }
            _ => continue,
        };
        causes.push(Cause::Waits { waiter, taken });
    }
    (!words.is_empty()).then(|| Why { words: words.join("; "), causes })
}

/// Where the lock that a thread waits for was taken by its holder.
fn taken(told: &Told<'_>, need: &Need<Bytes, Other>) -> Option<Node> {
    let Need::Lock { lock: wanted, holder: Some(holder) } = need else { return None };
    told.events.iter().rposition(|event| match &event.deed {
        Deed::Lock { at, .. } => at.addr == wanted.addr && event.number == holder.number,
        _ => false,
    })
}

fn wanted(told: &Told<'_>, waiter: Node, need: &Need<Bytes, Other>, taken: Option<Node>) -> String {
    match need {
        Need::Lock { lock: at, holder: Some(holder) } => {
            let own = holder.number == told.events[waiter].number;
            let holder = if own { "it" } else { holder.name.as_str() };
            let since = taken.map_or(String::new(), |node| told.at(node));
            let itself = if own { " itself" } else { "" };
            format!("lock {at}, which {holder} took{itself}{since}")
        }
        Need::Signal(Some(at)) => format!("{need}{}", wasted(told, at)),
        _ => need.to_string(),
    }
}

/// A signal that woke no thread.
fn wasted(told: &Told<'_>, cond: &Bytes) -> String {
    let wasted = told.events.iter().rposition(
        |event| matches!(&event.deed, Deed::Signal { at, woken: None } if at.addr == cond.addr),
    );
    wasted.map_or(String::new(), |node| {
        let (who, at) = (told.thread(node), told.at(node));
        format!(", which {who} signalled{at} when nobody waited")
    })
}
