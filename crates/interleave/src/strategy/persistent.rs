//! Persistent sets: what a race asks to be explored by `--strategy persistent`.
//!
//! Paper 002: Zhang, Kusano, Wang, *Dynamic Partial Order Reduction for Relaxed Memory Models* (PLDI
//! 2015), algorithm 1, with sleep sets. For a race of a later event with an earlier one, the set E (line
//! 15) holds what could be done instead of the earlier event to bring the later one about: the later
//! event's own process, or another whose next event happens before the later one. One of E goes
//! into the backtrack set of the state before the earlier event, unless one of E is there already.
//! The backtrack set of a state is what was explored from it and what is planned there, or asleep:
//! with what sleeps, which was explored earlier, it makes up for a persistent set (definition 1).
//!
//! The shadow threads of the paper's section 2 are what this engine has anyway: an update is an event
//! of its own, beside the next step of its thread. Deviations:
//! - The paper looks, at every state, for the newest race of whatever each thread could do next. Here
//!   a race is looked at when its later event is performed, with every earlier event that it races
//!   with; what waits when an execution ends is looked at then. Sleep sets need no more: an event
//!   that is never performed because it sleeps was performed before.
//! - E holds only what nothing else of E has to happen before, so that each of it can be done at once
//!   and is a first step of some execution in which the race is reversed. It is never empty (what
//!   the later event needs can be done without the earlier one), so line 19, which plans everything,
//!   is not needed.
//! - Definitions 3 and 4 order a load after the update of an earlier store of its own thread to the
//!   same location, and all that follows after that load. Read to the letter they lose executions:
//!   with `x = 1; r = x; s = y` in one thread and the mirror image in the other, both threads may
//!   read their own 1 and the other's 0, since the load of `x` is served by the buffer. So the
//!   dependency here is that of chronological traces ([`Action::conflicts`]), in which a load is
//!   independent of the updates of its own thread. Otherwise it is theirs: updates of one thread are
//!   in order (TSO), or those of one location are (PSO); a thread's own steps are in order.
//!
//! It differs from Source-DPOR in E: that takes into account every event between the two that does not
//! happen after the earlier one, needed or not, and so finds more often that something planned will
//! do. Both explore each trace once; here more executions are begun and given up.

use super::Plan;
use crate::event::Action;
use crate::race::Race;
use crate::search::Search;

#[derive(Debug, Default)]
pub(super) struct Persistent;

impl Plan for Persistent {
    /// Adds one of E to the backtrack set of the state before the earlier event, unless one is there.
    fn reverse(search: &mut Search<'_, '_, Persistent>, race: Race, last: Action) {
        search.plan_initial(race, |search, sequence| search.collect_needed(race, last, sequence));
    }
}
