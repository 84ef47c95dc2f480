//! Source-DPOR as published: algorithm 1 of Abdulla, Aronis, Jonsson, Sagonas, *Optimal dynamic partial order
//! reduction* (POPL 2014).
//!
//! With all events between the two that do not happen after the earlier one, it plans the first action of a
//! sequence none of whose initials is planned or explored yet. It visits each trace once, and gives up some
//! executions that it began.

use super::Plan;
use crate::event::Action;
use crate::race::Race;
use crate::search::Search;

#[derive(Debug, Default)]
pub(super) struct Source;

impl Plan for Source {
    fn reverse(search: &mut Search<'_, '_, Source>, race: Race, last: Action) {
        search.plan_initial(race, |search, sequence| search.collect_all(race, last, sequence));
    }
}
