//! Folds the events of a long witness, so that it fits on a page.
//!
//! Repeated stretches of one thread, with the same positions and kinds of events, are rounds of a loop
//! ([`super::rounds`]): the first round is shown, the last one if it is short, and the number of those between.
//! If that leaves more rows than a page has, the rows of least interest are folded into gaps. These stay, in
//! this order:
//!
//! 1. the failure, threads that are stuck, and the events of the cause;
//! 2. the rows next to those, and the last ones;
//! 3. where threads meet: loads from another thread's write, and the write; spawns, joins, signals;
//! 4. rounds of loops;
//! 5. where another thread goes on;
//! 6. everything else.
//!
//! Of two rows of the same interest, the one that is nearer to the end stays.

use super::rounds::{Rounds, rounds};
use raddle_engine::{Deed, ReplayEvent};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The number of rows before the last one that are of more interest than others.
const LAST_ROWS: usize = 8;

/// A row, before it is laid out. Events are positions in the story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Event(usize),
    /// So many rounds of a loop, beside those that are shown.
    Rounds {
        rounds: usize,
        events: Vec<usize>,
    },
    /// Events in a row.
    Gap {
        events: Vec<usize>,
    },
}

impl Part {
    /// The events that it stands for.
    pub(super) fn events(&self) -> &[usize] {
        match self {
            Part::Event(event) => std::slice::from_ref(event),
            Part::Rounds { events, .. } | Part::Gap { events } => events,
        }
    }
}

/// The updates that come right after their stores, with these. Starred updates are left alone.
pub(super) fn through(
    story: &[ReplayEvent],
    shown: &[usize],
    starred: &BTreeSet<usize>,
) -> HashMap<usize, usize> {
    let pairs = shown.windows(2).map(|pair| (pair[0], pair[1]));
    let own = pairs.filter(|(before, after)| {
        let same_thread = story[*before].number == story[*after].number;
        same_thread
            && !starred.contains(after)
            && matches!((&story[*before].deed, &story[*after].deed),
                (Deed::Buffer { store, .. }, Deed::Update { store: leaves, .. }) if store == leaves)
    });
    own.map(|(store, update)| (update, store)).collect()
}

/// Folds events, given by their positions in the story, to at most so many rows. The updates in `through` are
/// shown with their stores.
pub(super) fn folded(
    story: &[ReplayEvent],
    shown: &[usize],
    starred: &BTreeSet<usize>,
    through: &HashMap<usize, usize>,
    most: usize,
) -> Vec<Part> {
    let parts = fold_loops(story, shown, starred);
    if parts.len() <= most {
        return parts;
    }
    let meetings = meetings(story);
    let meetings = meetings.iter().map(|n| *through.get(n).unwrap_or(n)).collect();
    let interests = interests(story, &parts, starred, &meetings);
    let mut best: Vec<usize> = (0..parts.len()).collect();
    best.sort_by_key(|n| (interests[*n], usize::MAX - n));
    // More rows that stay never make fewer rows.
    let fits = |count: &usize| rows(&kept(&best[..*count], parts.len())) <= most;
    let counts: Vec<usize> = (1..=parts.len()).collect();
    let count = counts.partition_point(|count| fits(count)).max(1);
    with_gaps(&parts, &kept(&best[..count], parts.len()))
}

fn kept(best: &[usize], count: usize) -> Vec<bool> {
    let mut kept = vec![false; count];
    best.iter().for_each(|n| kept[*n] = true);
    kept
}

/// The number of rows: those that stay, and one for each gap.
fn rows(kept: &[bool]) -> usize {
    let starts = |n: usize| !kept[n] && (n == 0 || kept[n - 1]);
    (0..kept.len()).filter(|n| kept[*n] || starts(*n)).count()
}

/// Folds the parts that do not stay. A single event is shown, because a gap takes as much room.
fn with_gaps(parts: &[Part], kept: &[bool]) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    for (part, kept) in parts.iter().zip(kept) {
        match (kept, found.last_mut()) {
            (true, _) => found.push(part.clone()),
            (false, Some(Part::Gap { events })) => events.extend(part.events()),
            (false, _) => found.push(Part::Gap { events: part.events().to_vec() }),
        }
    }
    for part in &mut found {
        if let Part::Gap { events } = part
            && let [event] = events[..]
        {
            *part = Part::Event(event);
        }
    }
    found
}

/// Folds the rounds of loops.
fn fold_loops(story: &[ReplayEvent], shown: &[usize], starred: &BTreeSet<usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    for Rounds { start, period, count } in rounds(story, shown, starred) {
        parts.extend(shown[at..start].iter().map(|n| Part::Event(*n)));
        let end = start + period * count;
        let (first, last) = (start + period, end - if period <= SHORT { period } else { 0 });
        parts.extend(shown[start..first].iter().map(|n| Part::Event(*n)));
        let events = shown[first..last].to_vec();
        parts.push(Part::Rounds { rounds: events.len() / period, events });
        parts.extend(shown[last..end].iter().map(|n| Part::Event(*n)));
        at = end;
    }
    parts.extend(shown[at..].iter().map(|n| Part::Event(*n)));
    parts
}

/// The number of events of a round that is shown twice: as the first and as the last.
const SHORT: usize = 3;

/// For each part its interest; lower numbers are of more.
fn interests(
    story: &[ReplayEvent],
    parts: &[Part],
    starred: &BTreeSet<usize>,
    meetings: &BTreeSet<usize>,
) -> Vec<u8> {
    let decisive = |part: &Part| match part {
        Part::Event(n) => {
            starred.contains(n) || matches!(story[*n].deed, Deed::Fail { .. } | Deed::Stuck(_))
        }
        _ => false,
    };
    let thread = |part: &Part| part.events().first().map(|n| story[*n].number);
    let interest = |(n, part): (usize, &Part)| {
        let around = [n.checked_sub(1), Some(n + 1)].into_iter().flatten();
        let mut around = around.filter_map(|n| parts.get(n));
        match part {
            _ if decisive(part) || n + 1 == parts.len() => 0,
            _ if around.clone().any(decisive) || n + LAST_ROWS >= parts.len() => 1,
            Part::Event(event) if meetings.contains(event) => 2,
            Part::Rounds { .. } => 3,
            _ if around.any(|other| thread(other) != thread(part)) => 4,
            _ => 5,
        }
    };
    parts.iter().enumerate().map(interest).collect()
}

/// The events at which threads meet.
fn meetings(story: &[ReplayEvent]) -> BTreeSet<usize> {
    let mut meetings = BTreeSet::new();
    let mut writes: HashMap<u64, usize> = HashMap::new();
    // A thread learns from a write once.
    let mut learnt: HashSet<(u32, usize)> = HashSet::new();
    for (n, event) in story.iter().enumerate() {
        let (at, reads, writing) = match &event.deed {
            Deed::Read { cell, forwarded: false } | Deed::Mismatch { cell, .. } => {
                (&cell.at, true, false)
            }
            Deed::Write { cell, .. } => (&cell.at, true, true),
            Deed::Update { cell, .. } => (&cell.at, false, true),
            Deed::Lock { at, .. } => (at, true, true),
            Deed::Unlock(at) => (at, false, true),
            Deed::Free { at, by } if !by.is_implicit() => (at, false, true),
            Deed::Spawn(_) | Deed::Join(_) | Deed::Signal { .. } | Deed::Broadcast(_) => {
                meetings.insert(n);
                continue;
            }
            _ => continue,
        };
        let write = writes.get(&at.addr).filter(|_| reads).copied();
        if let Some(write) = write
            && story[write].number != event.number
            && learnt.insert((event.number, write))
        {
            meetings.extend([write, n]);
        }
        if writing {
            writes.insert(at.addr, n);
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use super::super::rounds::tests::{event, read, write};
    use super::*;

    fn fold(story: &[ReplayEvent], starred: &[usize], most: usize) -> Vec<Part> {
        let shown: Vec<usize> = (0..story.len()).collect();
        folded(story, &shown, &starred.iter().copied().collect(), &HashMap::new(), most)
    }

    /// Reads of one thread at places that never repeat.
    fn straight(thread: u32, from: u32, count: u32) -> Vec<ReplayEvent> {
        (from..from + count).map(|loc| event(thread, loc, read(u64::from(loc)))).collect()
    }

    #[test]
    fn a_short_story_is_left_alone() {
        let story = straight(0, 1, 10);
        let all: Vec<Part> = (0..10).map(Part::Event).collect();
        assert_eq!(fold(&story, &[], 10), all);
    }

    #[test]
    fn rounds_are_folded_but_for_the_first_and_the_last() {
        let story: Vec<ReplayEvent> =
            (0..9).map(|n| event(0, 7 + n % 3 / 2, read(n.into()))).collect();
        assert_eq!(fold(&story, &[], 40).len(), 9, "three rounds are few");
        let story: Vec<ReplayEvent> =
            (0..20).map(|n| event(0, 7 + n % 2, read(n.into()))).collect();
        let events = (2..18).collect();
        let rounds = Part::Rounds { rounds: 8, events };
        let ends = |n: usize| Part::Event(n);
        assert_eq!(fold(&story, &[], 40), [ends(0), ends(1), rounds, ends(18), ends(19)]);
    }

    #[test]
    fn the_cause_and_the_end_stay() {
        let story = [straight(0, 1, 50), straight(1, 100, 50)].concat();
        let parts = fold(&story, &[20, 60], 18);
        assert!(parts.len() <= 18, "{parts:?}");
        for n in [19, 20, 21, 59, 60, 61, 92, 99] {
            assert!(parts.contains(&Part::Event(n)), "{n}: {parts:?}");
        }
        let told: Vec<usize> = parts.iter().flat_map(|part| part.events().to_vec()).collect();
        assert_eq!(told, (0..100).collect::<Vec<usize>>(), "every event is told once, in order");
    }

    #[test]
    fn where_threads_meet_is_of_interest() {
        let mut story = [straight(0, 1, 40), straight(1, 100, 40)].concat();
        story[10] = event(0, 11, write(1000));
        story[50] = event(1, 110, read(1000));
        story[55] = event(1, 115, read(1000));
        let parts = fold(&story, &[], 16);
        assert!(parts.contains(&Part::Event(10)) && parts.contains(&Part::Event(50)), "{parts:?}");
        assert!(!parts.contains(&Part::Event(55)), "the same write again: {parts:?}");
    }

    #[test]
    fn a_page_has_no_more_rows_than_asked_for() {
        let story: Vec<ReplayEvent> =
            (0..60).flat_map(|n| straight(n % 2, 1 + 10 * n, 1 + n % 7)).collect();
        for most in [1, 2, 5, 12, 30] {
            let starred: Vec<usize> = (0..story.len()).step_by(9).collect();
            let parts = fold(&story, &starred, most);
            assert!(parts.len() <= most.max(2), "{most}: {}", parts.len());
        }
    }
}
