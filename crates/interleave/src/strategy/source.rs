//! Source-DPOR as published: algorithm 1 of Abdulla, Aronis, Jonsson, Sagonas, *Optimal dynamic partial order
//! reduction* (POPL 2014).
//!
//! For a race, the sequence holds all events between the two that do not happen after the earlier one. If no
//! initial of this sequence is planned or explored yet, its first action is planned. The strategy visits each
//! trace once, and abandons some executions that it has begun.

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
