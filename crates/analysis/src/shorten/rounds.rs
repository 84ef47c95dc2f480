//! Rounds of loops: a thread's steps from one visit to a place up to the next.
//!
//! A thread that comes back to a place may be there in the same state, as in a loop that waits or tries again.
//! Whether it is shows when the schedule without the round is replayed.

use super::Candidate;
use raddle_engine::{Deed, ReplayEvent, Step};
use raddle_ir::LocId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};

/// A step's place and what it does there.
type Visit = (u32, LocId, Discriminant<Deed>);

/// For each loop, the steps at which its thread comes to the same place; at least two. One place stands for
/// all that a thread visits as often.
pub(super) fn of(candidate: &Candidate) -> Vec<Vec<usize>> {
    let mut visits: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut first: HashMap<Visit, usize> = HashMap::new();
    for (step, event) in own_events(candidate) {
        if event.loc != LocId::NONE {
            let place = (event.number, event.loc, discriminant(&event.deed));
            visits.entry(*first.entry(place).or_insert(step)).or_default().push(step);
        }
    }
    let mut known = HashSet::new();
    let schedule = &candidate.witness.schedule;
    let mut loops: Vec<Vec<usize>> = visits.into_values().collect();
    loops.retain(|visits| {
        visits.len() > 1 && known.insert((schedule[visits[0]].thread(), visits.len()))
    });
    loops
}

/// The first event of each step that is not an update.
fn own_events(candidate: &Candidate) -> impl Iterator<Item = (usize, &ReplayEvent)> {
    let mut last = None;
    candidate.steps.iter().zip(&candidate.witness.events).filter_map(move |(step, event)| {
        let step = (*step)?;
        let is_first = last.replace(step) != Some(step);
        (is_first && !matches!(event.deed, Deed::Update { .. })).then_some((step, event))
    })
}

/// The schedule without a thread's steps from one visit up to another. Its stores in between go, too, with
/// their updates; the stores after them get their numbers.
pub(super) fn without(candidate: &Candidate, from: usize, to: usize) -> Vec<Step> {
    let schedule = &candidate.witness.schedule;
    let thread = schedule[from].thread();
    let is_cut = |step: usize| {
        let own = !matches!(schedule[step], Step::Update { .. });
        own && (from..to).contains(&step) && schedule[step].thread() == thread
    };
    let mut gone: Vec<u32> = Vec::new();
    for (step, event) in candidate.steps.iter().zip(&candidate.witness.events) {
        if let Deed::Buffer { store, .. } = event.deed
            && event.number == thread.0
            && step.is_some_and(is_cut)
        {
            gone.push(store);
        }
    }
    gone.sort_unstable();
    let kept = schedule.iter().enumerate().filter(|(n, _)| !is_cut(*n));
    let renumbered = kept.filter_map(|(_, step)| match step {
        Step::Update { thread: owner, store } if *owner == thread => {
            let before = gone.binary_search(store).err()? as u32;
            Some(Step::Update { thread, store: store - before })
        }
        _ => Some(*step),
    });
    renumbered.collect()
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;
    use crate::witness::Witness;
    use raddle_engine::{Bytes, Calls, Cell, Datum};
    use raddle_machine::ThreadId;

    fn event(number: u32, loc: u32, deed: Deed) -> ReplayEvent {
        ReplayEvent {
            number,
            thread: format!("t{number}"),
            loc: LocId(loc),
            calls: Calls::default(),
            deed,
        }
    }

    fn cell() -> Cell {
        let at = Bytes { addr: 0, bytes: 4, name: "x".to_owned() };
        Cell { at, value: Datum::number(0, 4) }
    }

    /// Thread 0 reads `x` four times at one place and stores once in each of the first two rounds; thread 1
    /// reads in between.
    fn spinning() -> Candidate {
        let reads = || Deed::Read { cell: cell(), forwarded: false };
        let buffers = |store| Deed::Buffer { cell: cell(), store, drains: false };
        let leaves = |store| Deed::Update { cell: cell(), store };
        let [own, other] = [0, 1].map(|thread| Step::Run(ThreadId(thread)));
        let update = |store| Step::Update { thread: ThreadId(0), store };
        let told = [
            (own, vec![event(0, 7, reads()), event(0, 8, buffers(0))]),
            (own, vec![event(0, 7, reads()), event(0, 8, buffers(1))]),
            (update(0), vec![event(0, 8, leaves(0))]),
            (other, vec![event(1, 7, reads())]),
            (own, vec![event(0, 7, reads())]),
            (update(1), vec![event(0, 8, leaves(1))]),
            (own, vec![event(0, 7, reads())]),
        ];
        let schedule = told.iter().map(|(step, _)| *step).collect();
        let steps =
            told.iter().enumerate().flat_map(|(n, (_, events))| vec![Some(n); events.len()]);
        let steps = steps.collect();
        let events = told.into_iter().flat_map(|(_, events)| events).collect();
        let witness = Witness { schedule, events, origins: Vec::new(), why: None };
        Candidate { witness, steps, finding: Finding::End }
    }

    #[test]
    fn a_loop_is_the_visits_of_one_thread_to_a_place() {
        assert_eq!(of(&spinning()), [[0, 1, 4, 6]]);
    }

    #[test]
    fn stores_of_a_round_go_with_it() {
        let [own, other] = [0, 1].map(|thread| Step::Run(ThreadId(thread)));
        let update = Step::Update { thread: ThreadId(0), store: 0 };
        assert_eq!(without(&spinning(), 0, 1), [own, other, own, update, own]);
        assert_eq!(without(&spinning(), 1, 4), [own, update, other, own, own]);
        assert_eq!(without(&spinning(), 0, 6), [other, own]);
    }
}
