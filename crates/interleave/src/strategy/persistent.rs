//! Persistent sets: the actions that `--strategy persistent` plans for a race.
//!
//! Paper 002: Zhang, Kusano, Wang, *Dynamic Partial Order Reduction for Relaxed Memory Models* (PLDI
//! 2015), algorithm 1, with sleep sets. For a race of a later event with an earlier one, the set E (line
//! 15) holds the processes that can act instead of the earlier event and lead to the later one: the process
//! of the later event, or a process whose next event happens before the later one. One member of E goes
//! into the backtrack set of the state before the earlier event, unless a member is in it already. The
//! backtrack set of a state consists of the explored, the planned and the sleeping actions. The sleeping
//! ones were explored earlier; with them the set has the role of a persistent set (definition 1).
//!
//! The shadow threads of the paper's section 2 exist in this engine anyway: an update is an event of its
//! own, beside the next step of its thread. Deviations:
//! - At every state, the paper looks for the newest race of the next action of each thread. Here a race is
//!   found when its later event is performed, with every earlier event that it races with. The races of
//!   waiting operations are found when an execution ends. With sleep sets this is enough: an event that is
//!   never performed because it sleeps was performed before.
//! - E holds only events before which no other event of E has to happen. So each of them is enabled, and is
//!   the first step of some execution in which the race is reversed. E is never empty, because the events
//!   that the later event needs can happen without the earlier one. So line 19, which plans everything, is
//!   not needed.
//! - Definitions 3 and 4 order a load after the update of an earlier store of its own thread to the
//!   same location, and all that follows after that load. Taken literally, they lose executions:
//!   with `x = 1; r = x; s = y` in one thread and the mirror image in the other, both threads may
//!   read their own 1 and the other's 0, since the load of `x` is served by the buffer. So the
//!   dependency here is that of chronological traces ([`Action::conflicts`]), in which a load is
//!   independent of the updates of its own thread. The rest is as in the paper: the updates of one thread
//!   (TSO) or of one thread and location (PSO) are in order, and so are the steps of a thread.
//!
//! The difference to Source-DPOR is the set E. Source-DPOR considers every event between the two that does
//! not happen after the earlier one, needed or not. So it finds more often that a planned action suffices.
//! Both explore each trace once; this strategy begins and abandons more executions.

use super::Plan;
use crate::event::Action;
use crate::race::Race;
use crate::search::Search;

#[derive(Debug, Default)]
pub(super) struct Persistent;

impl Plan for Persistent {
    /// Adds a member of E to the backtrack set of the state before the earlier event, unless it has one.
    fn reverse(search: &mut Search<'_, '_, Persistent>, race: Race, last: Action) {
        search.plan_initial(race, |search, sequence| search.collect_needed(race, last, sequence));
    }
}
