//! Deadlocks: the threads that wait or spin for ever, and their reasons.

use crate::commit_before::is_enabled;
use crate::fetch::{EventId, Threads, When};
use crate::graph::Graph;
use crate::state::{accepts_last_value, last_value};
use raddle_engine::{Need, Stuck};
use raddle_machine::{Spin, Status, ThreadId};

/// The loads that wait for a value for ever. `None` if the execution is incomplete: a load could read the last
/// value of its location, so another run of the search covers this one.
pub(crate) fn waiting<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
) -> Option<Vec<EventId>> {
    let mut waiting = Vec::new();
    let mut behind = false;
    for thread in threads.ids() {
        for id in threads.uncommitted(thread) {
            let event = threads.event(id);
            if !is_enabled(threads, id) {
                behind |= !threads.never_happens(id);
                continue;
            }
            event.load()?.when?;
            if accepts_last_value(threads, graph, id) {
                return None;
            }
            waiting.push(id);
        }
    }
    // An event that is not enabled although no load waits was blocked by the model.
    (!behind || !waiting.is_empty()).then_some(waiting)
}

/// The threads that will not end where nothing can happen but rounds of loops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Left {
    pub stuck: Vec<Stuck>,
    /// They go round loops without a way out.
    pub going_on: Vec<ThreadId>,
}

/// The threads that are left at the end of an execution in which these loads wait: threads that wait, in their
/// order, then those that spin, as in the interleaving engine. `None` if a thread that spins would leave its
/// loop with the last values.
pub(crate) fn left<const W: usize>(
    threads: &mut Threads<'_>,
    graph: &Graph<W>,
    waiting: &[EventId],
) -> Option<Left> {
    let (mut spins, mut going_on) = (Vec::new(), Vec::new());
    for thread in threads.ids() {
        if threads.status(thread) != Status::Spinning || !threads.has_arrived(thread) {
            continue;
        }
        match threads.spin_of(thread, |threads, location| last_value(threads, graph, location)) {
            Spin::Leaves => return None,
            Spin::Waits => {
                spins.push(Stuck { thread, at: threads.place(thread), need: Need::Change });
            }
            Spin::GoesOn => going_on.push(thread),
        }
    }
    let mut stuck = stuck(threads, graph, waiting);
    drop_waits_for_endless(&mut stuck, &going_on);
    stuck.extend(spins);
    Some(Left { stuck, going_on })
}

/// Threads that wait, in their order.
fn stuck<const W: usize>(
    threads: &Threads<'_>,
    graph: &Graph<W>,
    waiting: &[EventId],
) -> Vec<Stuck> {
    let waits = |thread: ThreadId| {
        let own = waiting.iter().find(|id| threads.event(**id).thread == thread);
        match own {
            Some(id) => {
                let need = need(threads, graph, *id)?;
                Some(Stuck { thread, at: threads.event(*id).at, need })
            }
            None => {
                let (target, at) = threads.waits_for_end(thread)?;
                Some(Stuck { thread, at, need: Need::End(Some(target)) })
            }
        }
    };
    threads.ids().filter_map(waits).collect()
}

/// Drops threads that wait for the end of a thread which runs for ever.
fn drop_waits_for_endless(stuck: &mut Vec<Stuck>, going_on: &[ThreadId]) {
    let mut endless = going_on.to_vec();
    let joins = |it: &Stuck, endless: &[ThreadId]| match it.need {
        Need::End(Some(target)) => endless.contains(&target),
        _ => false,
    };
    while let Some(n) = stuck.iter().position(|it| joins(it, &endless)) {
        endless.push(stuck.remove(n).thread);
    }
}

/// The reason why a load waits.
fn need<const W: usize>(threads: &Threads<'_>, graph: &Graph<W>, id: EventId) -> Option<Need> {
    let at = threads.location(id)?;
    let (addr, _) = threads.extent_of(at);
    Some(match threads.event(id).load()?.when? {
        When::Free => {
            let held = last_value(threads, graph, at);
            Need::Lock { lock: addr, holder: held.and_then(|held| threads.thread_of(held)) }
        }
        When::Woken(_) => Need::Signal(Some(addr)),
        When::Compares(..) => Need::Value(Some(addr)),
    })
}
