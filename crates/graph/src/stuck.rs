//! Deadlocks: who waits for what, and who spins.

use crate::ahead::{Ahead, EventId, Location, When};
use crate::commit_before::is_enabled;
use crate::graph::Graph;
use crate::state::{goes_on, last_value};
use raddle_engine::{Awaits, FailureSite, Waiter};
use raddle_ir::{GlobalId, LocId};
use raddle_machine::{Spin, Status, layout};

/// A thread that will never go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stuck {
    pub thread: u32,
    pub at: LocId,
    pub need: Need,
}

/// What it would take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    Lock {
        lock: Location,
        holder: Option<u32>,
    },
    /// A signal on a condition variable.
    Signal(Location),
    Value(Location),
    /// The end of a thread.
    End(u32),
    /// Other values than those that it reads in every round of a loop.
    Change,
}

/// The loads that wait for a value for ever; `None` if something waits that another run lets go on.
pub(crate) fn waiting<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>) -> Option<Vec<EventId>> {
    let mut waiting = Vec::new();
    let mut behind = false;
    for thread in 0..ahead.thread_count() {
        for po in ahead.settled(thread)..ahead.fetched(thread) {
            let id = ahead.event_at(thread, po);
            if ahead.committed(id).is_some() {
                continue;
            }
            let event = ahead.event(id);
            if !is_enabled(ahead, id) {
                behind |= !ahead.is_void(id);
                continue;
            }
            event.load()?.when?;
            if goes_on(ahead, graph, id) {
                return None;
            }
            waiting.push(id);
        }
    }
    // What nothing is known to wait for was blocked by the model.
    (!behind || !waiting.is_empty()).then_some(waiting)
}

/// The threads that will not end where nothing can happen but rounds of loops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Left {
    pub stuck: Vec<Stuck>,
    /// They go round loops without a way out.
    pub going_on: Vec<u32>,
}

/// Who is left at the end of an execution in which these loads wait: threads that wait, in their order,
/// then those that spin, as the interleaving engine has them. `None` if a thread that spins would leave its loop with
/// what is stored last.
pub(crate) fn left<const W: usize>(
    ahead: &mut Ahead<'_>,
    graph: &Graph<W>,
    waiting: &[EventId],
) -> Option<Left> {
    let (mut spins, mut going_on) = (Vec::new(), Vec::new());
    for thread in 0..ahead.thread_count() {
        if ahead.status(thread) != Status::Spinning || !ahead.has_arrived(thread) {
            continue;
        }
        match ahead.spin_of(thread, |ahead, location| last_value(ahead, graph, location)) {
            Spin::Leaves => return None,
            Spin::Waits => {
                spins.push(Stuck { thread, at: ahead.place(thread), need: Need::Change });
            }
            Spin::GoesOn => going_on.push(thread),
        }
    }
    let mut stuck = stuck(ahead, graph, waiting);
    excuse(&mut stuck, &going_on);
    stuck.extend(spins);
    Some(Left { stuck, going_on })
}

/// Threads that wait, in their order.
fn stuck<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>, waiting: &[EventId]) -> Vec<Stuck> {
    let waits = |thread: u32| {
        let own = waiting.iter().find(|id| ahead.event(**id).thread == thread);
        match own {
            Some(id) => {
                let need = need(ahead, graph, *id)?;
                Some(Stuck { thread, at: ahead.event(*id).at, need })
            }
            None => {
                let (target, at) = ahead.waits_for_end(thread)?;
                Some(Stuck { thread, at, need: Need::End(target) })
            }
        }
    };
    (0..ahead.thread_count()).filter_map(waits).collect()
}

/// Drops those that wait for the end of a thread that goes on for ever.
fn excuse(stuck: &mut Vec<Stuck>, going_on: &[u32]) {
    let mut endless = going_on.to_vec();
    let joins = |it: &Stuck, endless: &[u32]| match it.need {
        Need::End(target) => endless.contains(&target),
        _ => false,
    };
    while let Some(n) = stuck.iter().position(|it| joins(it, &endless)) {
        endless.push(stuck.remove(n).thread);
    }
}

/// What a load that waits is for.
fn need<const W: usize>(ahead: &Ahead<'_>, graph: &Graph<W>, id: EventId) -> Option<Need> {
    let at = ahead.location(id)?;
    Some(match ahead.event(id).load()?.when? {
        When::Free => {
            let held = last_value(ahead, graph, at);
            Need::Lock { lock: at, holder: held.and_then(|held| ahead.thread_of(held)) }
        }
        When::Woken(_) => Need::Signal(at),
        When::Compares(..) => Need::Value(at),
    })
}

/// The failure that a deadlock is.
pub(crate) fn deadlock(ahead: &Ahead<'_>, stuck: &[Stuck]) -> FailureSite {
    let waiters = stuck.iter().map(|it| (waiter(ahead, it), it.at));
    FailureSite::deadlock(ahead.program, waiters.collect())
}

fn waiter(ahead: &Ahead<'_>, stuck: &Stuck) -> Waiter {
    let name = |thread: u32| ahead.thread_name(thread).to_owned();
    let awaits = match stuck.need {
        Need::Lock { holder, .. } => Awaits::Lock(holder.map(name)),
        Need::Signal(_) => Awaits::Signal,
        Need::Value(at) => Awaits::Value(global_at(ahead, at).map(str::to_owned)),
        Need::End(target) => Awaits::End(Some(name(target))),
        Need::Change => Awaits::Change,
    };
    Waiter { thread: name(stuck.thread), awaits }
}

/// The global that a location is in, by name.
fn global_at<'p>(ahead: &Ahead<'p>, at: Location) -> Option<&'p str> {
    let (object, _) = layout::split_address(ahead.extent_of(at).0)?;
    let global = ahead.program.globals.get(GlobalId::from_u32(object.0))?;
    Some(&global.name)
}
