//! Finds the rounds of loops in the events of a story: stretches of one thread with the same positions and
//! the same kinds of events, one after the other. Values and addresses may differ.

use raddle_engine::{Deed, ReplayEvent};
use raddle_ir::LocId;
use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

/// The maximal number of events of a round.
const LONGEST: usize = 24;
/// The least number of rounds, and of events in them, that are folded.
const FEWEST: usize = 4;
const LEAST: usize = 8;

/// Rounds of a loop. Numbers are places in the list of shown events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rounds {
    pub start: usize,
    /// The number of events of a round.
    pub period: usize,
    pub count: usize,
}

/// The part of an event that is the same in all rounds. An event that stands out equals only itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sort {
    thread: u32,
    loc: LocId,
    kind: Discriminant<Deed>,
    alone: Option<usize>,
}

/// The rounds of all loops, in order, without overlaps.
pub(super) fn rounds(
    story: &[ReplayEvent],
    shown: &[usize],
    starred: &BTreeSet<usize>,
) -> Vec<Rounds> {
    let sort = |n: &usize| {
        let ReplayEvent { number, loc, deed, .. } = &story[*n];
        let ends = matches!(deed, Deed::Fail { .. } | Deed::Stuck(_));
        let alone = (ends || starred.contains(n) || *loc == LocId::NONE).then_some(*n);
        Sort { thread: *number, loc: *loc, kind: discriminant(deed), alone }
    };
    let sorts: Vec<Sort> = shown.iter().map(sort).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < sorts.len() {
        let loops = (1..=LONGEST).filter_map(|period| repeated(&sorts, at, period));
        // Of several that reach equally far, the shortest round.
        match loops.max_by_key(|found| (found.count * found.period, usize::MAX - found.period)) {
            Some(rounds) => {
                found.push(rounds);
                at += rounds.count * rounds.period;
            }
            None => at += 1,
        }
    }
    found
}

/// The rounds with so many events that start at a place, if there are enough.
fn repeated(sorts: &[Sort], start: usize, period: usize) -> Option<Rounds> {
    let round = sorts.get(start..start + period)?;
    // Of one thread; and if the first event is not repeated, nothing is.
    if sorts.get(start + period) != round.first()
        || round.iter().any(|sort| sort.thread != round[0].thread || sort.alone.is_some())
    {
        return None;
    }
    let rest = &sorts[start + period..];
    let same = rest.iter().zip(&sorts[start..]).take_while(|(later, earlier)| later == earlier);
    let count = 1 + same.count() / period;
    (count >= FEWEST && count * period >= LEAST).then_some(Rounds { start, period, count })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use raddle_engine::{Bytes, Calls, Cell, Datum, Writing};

    fn cell(addr: u64) -> Cell {
        let at = Bytes { addr, bytes: 4, name: format!("at {addr}") };
        Cell { at, value: Datum::number(0, 4) }
    }

    pub(crate) fn read(addr: u64) -> Deed {
        Deed::Read { cell: cell(addr), forwarded: false }
    }

    pub(crate) fn write(addr: u64) -> Deed {
        Deed::Write { cell: cell(addr), old: Datum::number(0, 4), how: Writing::Store }
    }

    pub(crate) fn event(number: u32, loc: u32, deed: Deed) -> ReplayEvent {
        ReplayEvent {
            number,
            thread: format!("t{number}"),
            loc: LocId(loc),
            calls: Calls::default(),
            deed,
        }
    }

    fn found(story: &[ReplayEvent], starred: &[usize]) -> Vec<[usize; 3]> {
        let shown: Vec<usize> = (0..story.len()).collect();
        let found = rounds(story, &shown, &starred.iter().copied().collect());
        found.iter().map(|rounds| [rounds.start, rounds.period, rounds.count]).collect()
    }

    fn at(locs: &[u32]) -> Vec<ReplayEvent> {
        locs.iter().map(|loc| event(0, *loc, read(0))).collect()
    }

    #[test]
    fn the_shortest_round_is_found() {
        assert_eq!(found(&at(&[1, 5, 5, 5, 5, 5, 5, 5, 5, 2]), &[]), [[1, 1, 8]]);
        assert_eq!(found(&at(&[1, 5, 6, 5, 6, 5, 6, 5, 6, 5, 2]), &[]), [[1, 2, 4]]);
        assert!(found(&at(&[1, 5, 6, 5, 6, 5, 6, 2]), &[]).is_empty(), "too few");
    }

    #[test]
    fn other_kinds_threads_and_starred_events_are_not_the_same() {
        let mut story = at(&[5; 20]);
        assert_eq!(found(&story, &[]), [[0, 1, 20]]);
        assert_eq!(found(&story, &[9]), [[0, 1, 9], [10, 1, 10]]);
        story[9].deed = write(0);
        assert_eq!(found(&story, &[]), [[0, 1, 9], [10, 1, 10]]);
        story[9] = event(1, 5, read(0));
        assert_eq!(found(&story, &[]), [[0, 1, 9], [10, 1, 10]]);
    }
}
