//! The events of a witness that a report shows.
//!
//! Those that a reader of the text sees, too. Of a long witness only some: all to which the cause refers, the
//! first ones, and the last ones.

use super::{Importance, Moment};
use crate::witness::Worded;
use crate::{Run, printable};
use raddle_analysis::Cause;
use raddle_engine::ReplayEvent;
use std::collections::BTreeSet;

/// The most events of a witness in a report. GitHub shows no more.
const MOST: usize = 1000;

/// The events to show.
pub(super) fn moments(run: &Run<'_>, events: &[ReplayEvent], causes: &[Cause]) -> Vec<Moment> {
    let starred: BTreeSet<usize> = causes.iter().flat_map(Cause::events).collect();
    of_interest(run, events, starred)
}

/// The same, where the positions of the events that matter most are known.
pub(super) fn of_interest(
    run: &Run<'_>,
    events: &[ReplayEvent],
    mut starred: BTreeSet<usize>,
) -> Vec<Moment> {
    starred.extend(events.len().checked_sub(1));
    let worded = Worded::of(run, events);
    let has_place = |n: &usize| run.program.loc(events[*n].place(run.program)).is_some();
    let shown =
        (0..events.len()).filter(|n| starred.contains(n) || worded.shown()[*n]).filter(has_place);
    let shown: Vec<usize> = shown.collect();
    let moment = |n: usize| {
        let event = &events[n];
        Moment {
            number: n + 1,
            thread: printable(&event.thread),
            place: run.subject().line(event.place(run.program)),
            what: printable(&worded.what(n, event)),
            importance: match starred.contains(&n) {
                true => Importance::Essential,
                false => Importance::Important,
            },
        }
    };
    some(&shown, &starred, MOST).into_iter().map(moment).collect()
}

/// At most `most` of these positions: those that matter, and of the others a quarter from the start, the rest
/// from the end.
fn some(shown: &[usize], starred: &BTreeSet<usize>, most: usize) -> Vec<usize> {
    if shown.len() <= most {
        return shown.to_vec();
    }
    let (matter, others): (Vec<usize>, Vec<usize>) =
        shown.iter().partition(|n| starred.contains(n));
    let room = most.saturating_sub(matter.len());
    let (first, last) = (room / 4, room - room / 4);
    let mut some: Vec<usize> = matter.into_iter().take(most).collect();
    some.extend(&others[..first.min(others.len())]);
    some.extend(&others[others.len().saturating_sub(last).max(first)..]);
    some.sort_unstable();
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_witness_the_ends_are_kept_and_what_matters() {
        let all: Vec<usize> = (0..100).collect();
        let starred = BTreeSet::from([50, 99]);
        let kept = some(&all, &starred, 10);
        assert_eq!(kept, [0, 1, 50, 93, 94, 95, 96, 97, 98, 99]);
        assert_eq!(some(&all, &starred, 100), all);
        let many: BTreeSet<usize> = (0..100).collect();
        assert_eq!(some(&all, &many, 10).len(), 10);
    }
}
