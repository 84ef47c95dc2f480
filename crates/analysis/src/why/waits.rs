//! Deadlocks: which thread waits for what, which thread holds it and since where, and which threads spin.

use super::{Cause, Told, Why};
use crate::cycle::Node;
use raddle_engine::{Bytes, Deed, Wants};

/// The cause for every thread that waits or spins forever.
pub(super) fn waits(told: &Told<'_>) -> Option<Why> {
    let mut words = Vec::new();
    let mut causes = Vec::new();
    for (waiter, event) in told.events.iter().enumerate() {
        let (thread, at) = (told.thread(waiter), told.at(waiter));
        let taken = match &event.deed {
            Deed::Stuck(wants) => {
                let taken = taken(told, wants);
                words
                    .push(format!("{thread} waits{at} for {}", wanted(told, waiter, wants, taken)));
                taken
            }
            Deed::Spin => {
                words.push(format!("{thread} spins for ever{at}"));
                None
            }
            _ => continue,
        };
        causes.push(Cause::Waits { waiter, taken });
    }
    (!words.is_empty()).then(|| Why { words: words.join("; "), causes })
}

/// Where the lock that a thread waits for was taken by its holder.
fn taken(told: &Told<'_>, wants: &Wants) -> Option<Node> {
    let Wants::Lock { at: wanted, holder: Some(holder) } = wants else { return None };
    told.events.iter().rposition(|event| match &event.deed {
        Deed::Lock { at, .. } => at.addr == wanted.addr && event.number == holder.number,
        _ => false,
    })
}

fn wanted(told: &Told<'_>, waiter: Node, wants: &Wants, taken: Option<Node>) -> String {
    match wants {
        Wants::Lock { at, holder: Some(holder) } => {
            let own = holder.number == told.events[waiter].number;
            let holder = if own { "it" } else { holder.name.as_str() };
            let since = taken.map_or(String::new(), |node| told.at(node));
            let itself = if own { " itself" } else { "" };
            format!("lock {at}, which {holder} took{itself}{since}")
        }
        Wants::Signal(Some(at)) => format!("{wants}{}", wasted(told, at)),
        _ => wants.to_string(),
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
